/**
 * One activation of an actor: claims it, then reads its mailbox batch by batch, has each batch committed, and sends the
 * replies, until the mailbox is empty. It claims first, because another activation could handle, and refuse, commands
 * that were read before the claim.
 */
import { DomainError } from '#domain/errors.ts';
import { causeFields } from '#runtime/tracing/cause.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { ActorAddress, AnyActorType, Committer, Message } from './actor-type.ts';
import type { Claim, Claims } from './claims.ts';
import { lingerFromMessages, lingerLooks, lingerPauseMs } from './limits.ts';
import type { Handled, MailboxEntry, Mailboxes } from './mailbox.ts';
import { type AddressedResult, type CommandResult, queueUnavailable, resultOf } from './replies.ts';

export interface ActivationDeps {
  readonly type: AnyActorType;
  readonly committer: Committer;
  readonly mailboxes: Mailboxes;
  readonly claims: Claims;
  readonly logger: Logger;
  /** Called between batches: whether to leave the rest to a later activation. */
  readonly isTurnOver: () => Promise<boolean>;
}

/**
 * @returns whether entries are left in the mailbox
 * @throws when a store cannot be reached; unhandled entries stay in the mailbox
 */
export async function runActivation(
  deps: ActivationDeps,
  address: ActorAddress,
  actorId: string,
): Promise<boolean> {
  crashPoint('actor.awake');
  const known = deps.claims.get(actorId);
  if (known !== undefined) {
    const isLeft = await emptyMailbox(deps, address, actorId, known);
    if (isLeft !== null) return isLeft;
    deps.claims.forget(actorId);
  }
  if (await deps.mailboxes.isEmpty(address)) return false;
  // If superseded, the newer activation reads the rest.
  return (await emptyMailbox(deps, address, actorId, await deps.claims.claim(actorId))) ?? false;
}

/**
 * @returns whether entries are left in the mailbox; null if a newer activation exists
 * @throws when a store cannot be reached
 */
async function emptyMailbox(
  deps: ActivationDeps,
  address: ActorAddress,
  actorId: string,
  claim: Claim,
): Promise<boolean | null> {
  const { epoch } = claim;
  const nothing: Handled = { entryIds: [], results: [] };
  let handled = nothing;
  let looks = 0;
  for (;;) {
    const entries = await deps.mailboxes.take(address, epoch, handled);
    if (entries === null) return null;
    if (handled.entryIds.length > 0) crashPoint('batch.answered');
    handled = nothing;
    if (entries.length === 0) {
      if (looks === 0) return false;
      looks -= 1;
      await Bun.sleep(lingerPauseMs);
      continue;
    }
    crashPoint('mailbox.read');
    const received = entries.map((entry) => readMessage(deps, entry));
    const messages = received.flatMap(({ message }) => message ?? []);
    const done = await deps.committer.commit({ actorId, epoch, state: claim.state, messages });
    crashPoint('batch.committed');
    claim.state = done.state;
    handled = handledOf(received, done.results);
    if (done.end !== 'done' || (await deps.isTurnOver())) {
      const rest = await deps.mailboxes.take(address, epoch, handled);
      if (typeof done.end === 'object') throw done.end.error;
      return done.end === 'superseded' || rest === null ? null : rest.length > 0;
    }
    looks = messages.length >= lingerFromMessages ? lingerLooks : 0;
  }
}

interface ReadEntry extends MailboxEntry {
  /** Null: skip it. */
  readonly message: Message<unknown> | null;
  /** The result of a skipped command; undefined when nobody waits for it. */
  readonly refused?: CommandResult;
}

const stale = resultOf(queueUnavailable('Redis failed over before the command was handled.'));

function readMessage({ type, logger }: ActivationDeps, entry: MailboxEntry): ReadEntry {
  const { envelope, isLate, isStale, deadline } = entry;
  if (envelope === null) logger.error({ type: type.name }, 'unreadable mailbox entry');
  if (envelope === null || isLate) return { ...entry, message: null };
  if (isStale) return { ...entry, message: null, refused: stale };
  try {
    return {
      ...entry,
      message: {
        id: envelope.id,
        command: type.readCommand(envelope.command),
        deadline,
        cause: envelope.cause,
      },
    };
  } catch (err) {
    if (err instanceof DomainError) return { ...entry, message: null, refused: resultOf(err) };
    logger.error({ err, type: type.name, ...causeFields(envelope.cause ?? {}) }, 'unreadable command');
    return { ...entry, message: null, refused: { fault: true } };
  }
}

/** @param results for the first messages, in order; the other entries stay in the mailbox */
function handledOf(received: readonly ReadEntry[], results: readonly CommandResult[]): Handled {
  const entryIds: string[] = [];
  const sent: AddressedResult[] = [];
  let next = 0;
  for (const { entryId, envelope, message, refused } of received) {
    const result = message === null ? refused : results[next++];
    if (message !== null && result === undefined) continue;
    entryIds.push(entryId);
    if (envelope !== null && result !== undefined) {
      sent.push({ replyTo: envelope.replyTo, id: envelope.id, result });
    }
  }
  return { entryIds, results: sent };
}
