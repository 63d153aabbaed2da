/** What goes through mailboxes in tests. */
import type { Message, Reply, Wire } from '#actors/messages.ts';
import type { Cause } from '#runtime/tracing/log.ts';

let boxes = 0;

/** Of an actor that has no mailbox yet. */
export const newAddress = () => `counter/${(boxes += 1)}` as const;

export function wire(id: string, changes: Partial<Wire> = {}): Wire {
  return { id, replyTo: 'nobody', timeoutMs: 60_000, command: { step: id }, ...changes };
}

export const many = (count: number) => Array.from({ length: count }, (_, index) => wire(`${index}`));

/** As an activation has read it. */
export function messageOf<Command>(id: string, command: Command, cause?: Cause): Message<Command> {
  return { entryId: id, id, replyTo: 'me', command, deadline: Number.POSITIVE_INFINITY, cause };
}

/** What an activation hands to a mailbox to delete entries without replying to anybody. */
export function deletionsOf(...messages: readonly Pick<Message, 'entryId'>[]): readonly Reply[] {
  return messages.map(({ entryId }) => ({ entryId, id: null, replyTo: null, result: null }));
}
