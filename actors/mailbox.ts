/**
 * Mailboxes: a Redis stream for each actor with commands, and for each shard a sorted set of these actors by the time
 * at which their mailbox became non-empty or was last read. An entry is deleted only after it was handled; until then,
 * the next activation finds it. Only the newest activation that has read a mailbox can delete entries and send results:
 * an older one may have handled the same commands with another outcome. All times are Redis time, so clock differences
 * between machines do not matter.
 */
import { Type } from 'typebox';
import { createBatcher } from '#runtime/batcher.ts';
import { compileSchema } from '#runtime/compile-schema.ts';
import { type Cause, readCause } from '#runtime/tracing/cause.ts';
import { mailboxShardOf, mailboxShards, redisNames } from '#runtime/redis/redis-names.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import type { ActorAddress } from './actor-type.ts';
import {
  batchMax,
  busyKeptMs,
  epochKeptMs,
  mailboxKeptMs,
  mailboxMax,
  readAgainMs,
  listenerKeptMs,
  takenAtOnceMax,
  takesMax,
  wakeLostAfterMs,
} from './limits.ts';
import { defineMailboxScripts, type MailboxScripts, type RawEntry } from './mailbox-scripts.ts';
import { type AddressedResult, messagesOf } from './replies.ts';

/** A command with what is needed to reply to it. */
export interface Envelope {
  readonly id: string;
  /** The id of the sending process. */
  readonly replyTo: string;
  /** Counted from when the command is in the mailbox; it is not handled afterwards. */
  readonly timeoutMs: number;
  readonly command: unknown;
  readonly cause?: Cause | undefined;
}

export interface MailboxEntry {
  readonly entryId: string;
  /** Null: unreadable. */
  readonly envelope: Envelope | null;
  readonly isLate: boolean;
  /** Redis has failed over since it was appended, so it may have been answered before. */
  readonly isStale: boolean;
  /** When the command times out, by `performance.now()`. */
  readonly deadline: number;
}

/** Entries to delete, and the results to send. */
export interface Handled {
  readonly entryIds: readonly string[];
  readonly results: readonly AddressedResult[];
}

export type WakeWhen = 'always' | 'if empty' | 'never';

/** Commands to append to the mailbox of an actor. */
export interface AppendRequest {
  readonly address: ActorAddress;
  readonly envelopes: readonly Envelope[];
  readonly wakes: WakeWhen;
}

export interface AppendResult {
  /** How many commands were appended, in order from the first. */
  readonly taken: number;
  /** Whether the actor must be woken, and no process has received a direct wake. */
  readonly needsWake: boolean;
}

interface TakeRequest {
  readonly address: ActorAddress;
  readonly epoch: number;
  readonly handled: Handled;
}

export type Mailboxes = ReturnType<typeof createMailboxes>;

export function createMailboxes(redis: Redis) {
  const scripts = defineMailboxScripts(redis);
  const appendAll = (requests: readonly AppendRequest[]): Promise<readonly (AppendResult | Error)[]> =>
    appendTo(scripts, requests, redis.isCluster);
  const takes = createTakeBatcher(scripts, redis.isCluster);

  return {
    /**
     * Appends commands, and wakes the actors directly if a process has registered for that. In a Cluster, all must be
     * of one shard. An error among the results is about that mailbox only; none of its commands was appended.
     */
    appendAll,
    /** `appendAll` for one actor. */
    append: async (
      address: ActorAddress,
      envelopes: readonly Envelope[],
      wakes: WakeWhen = 'if empty',
    ): Promise<AppendResult> => {
      const [result] = await appendAll([{ address, envelopes, wakes }]);
      if (result instanceof Error) throw result;
      return result ?? { taken: 0, needsWake: false };
    },
    /**
     * Deletes the handled entries, sends the results, and reads the next entries, oldest first, in one step. If Redis
     * has lost its data since the last call, only reads. Calls made in one turn of the event loop share a script call.
     *
     * @param epoch of the activation, which must claim the actor before its first call
     * @returns null, and does nothing, if a newer activation has read the mailbox
     */
    take: (address: ActorAddress, epoch: number, handled: Handled): Promise<readonly MailboxEntry[] | null> =>
      takes.ask({ address, epoch, handled }),
    /**
     * Registers a process to receive direct wakes for the next `listenerKeptMs`.
     * @param isBusy whether one more process should share its actors for the next `busyKeptMs`
     */
    registerListener: async (channel: string, isBusy: boolean): Promise<void> => {
      const keys = [redisNames.wakeListeners(), redisNames.busyWakeListeners()];
      const load = isBusy ? 'busy' : 'free';
      await scripts.hubMailboxRegisterListener(...keys, channel, listenerKeptMs, load, busyKeptMs);
    },
    /** Also removes an empty mailbox, e.g. one that Redis has expired, from the list of waiting mailboxes. */
    isEmpty: async (address: ActorAddress): Promise<boolean> =>
      (await scripts.hubMailboxIsEmpty(
        redisNames.mailbox(address),
        redisNames.mailboxes(mailboxShardOf(address)),
        address,
      )) === 1,
    /**
     * Actors whose mailbox has been neither empty nor read for `wakeLostAfterMs`. Each is returned once per such period.
     * @param limit per shard
     */
    findWaiting: async (limit: number): Promise<readonly ActorAddress[]> => {
      const found = await Promise.all(
        mailboxShards.map((shard) =>
          scripts.hubMailboxesWaiting(redisNames.mailboxes(shard), wakeLostAfterMs, limit),
        ),
      );
      return found.flat();
    },
  };
}

/** @param requests in a Cluster, of one shard */
async function appendTo(
  scripts: MailboxScripts,
  requests: readonly AppendRequest[],
  isCluster: boolean,
): Promise<readonly (AppendResult | Error)[]> {
  const [shard] = requests.map(({ address }) => mailboxShardOf(address));
  // In a Cluster, no process listens for direct wakes.
  const listenersOf = isCluster ? shard : undefined;
  const keys = [redisNames.wakeListeners(listenersOf), redisNames.busyWakeListeners(listenersOf)];
  const args: (string | number)[] = [mailboxMax, mailboxKeptMs, listenerKeptMs, busyKeptMs];
  for (const { address, envelopes, wakes } of requests) {
    const own = mailboxShardOf(address);
    keys.push(redisNames.mailbox(address), redisNames.mailboxes(own));
    const texts = envelopes.map((envelope) => JSON.stringify(envelope));
    args.push(address, wakes, own.slice(1), texts.length, ...texts);
  }
  const results = await scripts.hubMailboxAppend(keys.length, ...keys, ...args);
  return results.map((result) =>
    result instanceof Error ? result : { taken: result[0], needsWake: result[1] === 1 },
  );
}

/** @param requests in a Cluster, of one shard */
async function takeFrom(
  scripts: MailboxScripts,
  requests: readonly TakeRequest[],
): Promise<readonly (readonly MailboxEntry[] | null | Error)[]> {
  const keys: string[] = [];
  const args: (string | number)[] = [batchMax, epochKeptMs, readAgainMs];
  for (const { address, epoch, handled } of requests) {
    const shard = mailboxShardOf(address);
    keys.push(redisNames.mailbox(address), redisNames.mailboxes(shard), redisNames.mailboxEpoch(address));
    const replies = messagesOf(handled.results);
    args.push(address, epoch, handled.entryIds.length, replies.length / 2, ...handled.entryIds, ...replies);
  }
  // Read before the call: a process that is stopped until after the response must not gain time.
  const askedAt = performance.now();
  const [nowMs, incarnation, taken] = await scripts.hubMailboxTake(keys.length, ...keys, ...args);
  return taken.map((entries) =>
    entries === null || entries instanceof Error
      ? entries
      : entries.map((entry) => readEntry(entry, { nowMs, incarnation, askedAt })),
  );
}

function createTakeBatcher(scripts: MailboxScripts, isCluster: boolean) {
  return createBatcher<TakeRequest, readonly MailboxEntry[] | null>({
    maxBatch: takenAtOnceMax,
    maxInFlight: takesMax,
    handle: async (requests) => {
      if (!isCluster) return takeFrom(scripts, requests);
      const results = new Map<TakeRequest, readonly MailboxEntry[] | null | Error>();
      const ofShards = Map.groupBy(requests, ({ address }) => mailboxShardOf(address)).values();
      const takeShard = async (own: readonly TakeRequest[]): Promise<void> => {
        const taken = await takeFrom(scripts, own).catch((error: unknown) => own.map(() => asError(error)));
        for (const [index, one] of own.entries()) results.set(one, taken[index] ?? null);
      };
      await Promise.all([...ofShards].map(takeShard));
      return requests.map((one) => results.get(one) ?? null);
    },
  });
}

interface Read {
  readonly nowMs: number;
  readonly incarnation: string;
  readonly askedAt: number;
}

function readEntry(
  [entryId, [, text, , appendedTo]]: RawEntry,
  { nowMs, incarnation, askedAt }: Read,
): MailboxEntry {
  const envelope = readEnvelope(text);
  // The id of an entry starts with the time at which it was added.
  const leftMs = Number.parseInt(entryId, 10) + (envelope?.timeoutMs ?? 0) - nowMs;
  // A promoted replica may lack the deletion of an entry whose command was refused. Refusals leave nothing in the
  // store, so handling it again could have another outcome.
  const isStale = appendedTo !== undefined && appendedTo !== incarnation;
  return { entryId, envelope, isLate: leftMs < 0, isStale, deadline: askedAt + leftMs };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('Redis failed.', { cause: error });
}

const envelopeSchema = Type.Object({
  id: Type.String(),
  replyTo: Type.String(),
  timeoutMs: Type.Number(),
  command: Type.Unknown(),
  cause: Type.Optional(Type.Unknown()),
});

/** Redis is outside our trust boundary: an unreadable entry is dropped, or it would be read forever. */
function readEnvelope(text: string): Envelope | null {
  try {
    const value: unknown = JSON.parse(text);
    return compileSchema(envelopeSchema).Check(value) ? { ...value, cause: readCause(value.cause) } : null;
  } catch {
    return null;
  }
}
