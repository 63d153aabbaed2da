/** Mails of the inbox, as the interface shows them (decisions.md section 7). */
import { Type, type Static } from 'typebox';
import type { InboxStatus } from '#db/schema/mail-tables.ts';
import type { EmailRow } from '#domain/inbox/list-emails.ts';
import { component, nullable, object } from './object.ts';
import { instant, oneOf, uuid } from './values.ts';

const statuses = ['new', 'triaged', 'archived'] as const satisfies readonly InboxStatus[];

export const emailStatus = (description: string) => oneOf(statuses, { description });

export const Email = component(
  'Email',
  object({
    id: uuid(),
    message_id: nullable(Type.String({ description: 'As the mail has it; null where it has none.' })),
    from: Type.String({ description: 'As in the mail, such as `Ada <ada@example.org>`; nothing proves it.' }),
    to: Type.String({ description: 'As in the mail; several are separated by commas.' }),
    subject: Type.String(),
    text: Type.String({ description: 'Plain text; made of the HTML where the mail has no other.' }),
    attachments: Type.Array(
      object({
        filename: nullable(Type.String()),
        content_type: Type.String(),
        size: Type.Integer({ description: 'In bytes.' }),
      }),
      { description: 'What came with it. The files themselves are not kept.' },
    ),
    status: emailStatus('How far it has come.'),
    received_at: instant(),
    updated_at: instant(),
  }),
);

export function showEmail(email: EmailRow): Static<typeof Email> {
  return {
    id: email.id,
    message_id: email.messageId,
    from: email.sender,
    to: email.recipients,
    subject: email.subject,
    text: email.text,
    attachments: [...email.attachments],
    status: email.status,
    received_at: email.receivedAt.toISOString(),
    updated_at: email.updatedAt.toISOString(),
  };
}
