/**
 * One activation of an actor: claims it, then reads its mailbox batch by batch, has each batch committed, and sends the
 * replies, until the mailbox is empty. It claims first, because another activation could handle, and refuse, commands
 * that were read before the claim.
 */
import { DomainError } from '#domain/errors.ts';
import { createBatcher } from '#runtime/loop-turns.ts';
import { causeFields, type Logger } from '#runtime/tracing/log.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type ActorAddress, type AnyActorType, type Committer, epochOfNobody } from './actor-type.ts';
import {
  claimedPerTransactionMax,
  claimsKeptMax,
  lingerFromMessages,
  lingerLooks,
  lingerPauseMs,
} from './limits.ts';
import type { Mailboxes, Taken } from './mailbox.ts';
import { type Message, type Reply, replyTo, resultOf } from './messages.ts';

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
  let replies: readonly Reply[] = [];
  let looks = 0;
  for (;;) {
    const taken = await deps.mailboxes.take(address, epoch, replies);
    if (taken === null) return null;
    if (replies.length > 0) crashPoint('batch.answered');
    replies = [];
    if (isNothing(taken)) {
      if (looks === 0) return false;
      looks -= 1;
      await Bun.sleep(lingerPauseMs);
      continue;
    }
    crashPoint('mailbox.read');
    const { messages, replies: refusals } = readCommands(deps, taken);
    const done = await deps.committer.commit({ actorId, epoch, state: claim.state, messages });
    crashPoint('batch.committed');
    claim.state = done.state;
    // Messages without a result stay in the mailbox.
    const handled = messages.slice(0, done.results.length);
    replies = [
      ...refusals,
      ...handled.map((message, index) => replyTo(message, done.results[index] ?? null)),
    ];
    if (done.end !== 'done' || (await deps.isTurnOver())) {
      const rest = await deps.mailboxes.take(address, epoch, replies);
      if (typeof done.end === 'object') throw done.end.error;
      return done.end === 'superseded' || rest === null ? null : !isNothing(rest);
    }
    looks = messages.length >= lingerFromMessages ? lingerLooks : 0;
  }
}

function isNothing({ messages, replies }: Taken): boolean {
  return messages.length === 0 && replies.length === 0;
}

function readCommands({ type, logger }: ActivationDeps, taken: Taken): Taken {
  const messages: Message[] = [];
  const replies: Reply[] = [...taken.replies];
  for (const { id } of replies)
    if (id === null) logger.error({ type: type.name }, 'unreadable mailbox entry');
  for (const message of taken.messages) {
    try {
      messages.push({ ...message, command: type.readCommand(message.command) });
    } catch (err) {
      const isRefusal = err instanceof DomainError;
      replies.push(replyTo(message, isRefusal ? resultOf(err) : { fault: true }));
      if (isRefusal) continue;
      logger.error({ err, type: type.name, ...causeFields(message.cause ?? {}) }, 'unreadable command');
    }
  }
  return { messages, replies };
}

interface Claim {
  /** `epochOfNobody` if there is no such actor. */
  readonly epoch: number;
  /** The state last committed under this epoch, which the next activation reuses; null: it must read the state. */
  state: unknown;
}

/** The claims of this process. A claim outlasts its activation and holds until the actor is claimed again. */
export interface Claims {
  /** @returns undefined if the process has not claimed the actor, or has forgotten the claim */
  get(actorId: string): Claim | undefined;
  forget(actorId: string): void;
  /** Claims the actor in the database. */
  claim(actorId: string): Promise<Claim>;
}

/**
 * Actors that are activated at the same time are claimed together.
 * @param claim raises the epochs of actors, and returns them by id, without actors that do not exist
 */
export function createClaims(
  claim: (actorIds: readonly string[]) => Promise<ReadonlyMap<string, number>>,
): Claims {
  const claims = new Map<string, Claim>();
  const claiming = createBatcher<string, number>({
    maxBatch: claimedPerTransactionMax,
    // One at a time: those that arrive meanwhile share the next.
    maxInFlight: 1,
    handle: async (actorIds) => {
      const claimed = await claim(actorIds);
      return actorIds.map((id) => claimed.get(id) ?? epochOfNobody);
    },
  });
  return {
    get: (actorId) => claims.get(actorId),
    forget: (actorId) => void claims.delete(actorId),
    claim: async (actorId) => {
      const claimed = { epoch: await claiming.ask(actorId), state: null };
      if (claimed.epoch === epochOfNobody) return claimed;
      const [oldest] = claims.keys();
      if (oldest !== undefined && claims.size >= claimsKeptMax) claims.delete(oldest);
      claims.set(actorId, claimed);
      return claimed;
    },
  };
}
