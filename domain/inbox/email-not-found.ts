/** The refusal that the verbs of one mail share. */
import { DomainError } from '../errors.ts';

export function emailNotFound(): DomainError {
  return new DomainError('email_not_found', 'There is no mail with this id in the inbox.', {
    hint: 'GET /v1/inbox lists the mails.',
  });
}
