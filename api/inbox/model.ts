/** Schemas of mail in the inbox. */
import { Type } from 'typebox';
import { inboxStatuses } from '#db/schema/mail-tables.ts';
import type { EmailRow } from '#domain/inbox/list-emails.ts';
import { instant, named, nullable, object, oneOf, uuid } from '../schemas.ts';
import { toWire } from '../wire.ts';

export const emailStatus = (description: string) => oneOf(inboxStatuses, { description });

export const Email = named('Email', {
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
});

const showFields = toWire(Email);

export function showEmail(email: EmailRow) {
  return showFields({ ...email, from: email.sender, to: email.recipients });
}
