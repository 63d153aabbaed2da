/** What an activation hands to a mailbox when it has handled entries. */
import type { Message, Reply } from '#actors/messages.ts';

/** Deletes entries without replying to anybody. */
export function deletionsOf(...messages: readonly Pick<Message, 'entryId'>[]): readonly Reply[] {
  return messages.map(({ entryId }) => ({ entryId, id: null, replyTo: null, result: null }));
}
