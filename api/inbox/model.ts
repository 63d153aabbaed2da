/** Schemas of mail in the inbox. */
import { Type, type Static } from 'typebox';
import type { InboxStatus } from '#db/schema/mail-tables.ts';
import type { EmailRow } from '#domain/inbox/list-emails.ts';
import { component, nullable, object } from '../schemas/object.ts';
import { instant, oneOf, uuid } from '../schemas/values.ts';

const statuses = ['new', 'triaged', 'archived'] as const satisfies readonly InboxStatus[];

export const emailStatus = (description: string) => oneOf(statuses, { description });

export const Email = component(
  'Email',
  object({
    id: uuid(),
    message_id: nullable(Type.String({ description: 'The Message-ID header; null if the email has none.' })),
    from: Type.String({
      description: 'The From header, such as `Ada <ada@example.org>`. It is not verified.',
    }),
    to: Type.String({ description: 'The To header. Several addresses are separated by commas.' }),
    subject: Type.String(),
    text: Type.String({ description: 'Plain text, converted from HTML if the email has no text part.' }),
    attachments: Type.Array(
      object({
        filename: nullable(Type.String()),
        content_type: Type.String(),
        size: Type.Integer({ description: 'In bytes.' }),
      }),
      { description: 'The attachments. The files themselves are not stored.' },
    ),
    status: emailStatus('Whether the email has been handled.'),
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
