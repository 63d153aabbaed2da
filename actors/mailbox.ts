/**
 * Mailboxes: a Redis stream for each actor with commands, and for each shard a sorted set of these actors by the time
 * at which their mailbox became non-empty or was last read. An entry is deleted only after it was handled; until then,
 * the next activation finds it. Only the newest activation that has read a mailbox can delete entries and send results:
 * an older one may have handled the same commands with another outcome. All times are Redis time, so clock differences
 * between machines do not matter.
 */
import { createBatcher } from '#runtime/loop-turns.ts';
import { mailboxShardOf, mailboxShards, redisNames } from '#runtime/redis/redis-names.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import type { ActorAddress } from './actor-type.ts';
import {
  batchMax,
  epochKeptMs,
  mailboxKeptMs,
  mailboxMax,
  readAgainMs,
  listenerKeptMs,
  takenPerCallMax,
  takesMax,
  wakeLostAfterMs,
} from './limits.ts';
import { defineMailboxScripts, type MailboxScripts, type RawEntry } from './mailbox-scripts.ts';
import {
  type Message,
  queueUnavailable,
  readWire,
  type Reply,
  replyTo,
  resultOf,
  textsOf,
  type Wire,
} from './messages.ts';

/** The next commands of an actor, oldest first. */
export interface Taken {
  readonly messages: readonly Message[];
  /** Entries that must not be handled. */
  readonly replies: readonly Reply[];
}

export type WakeWhen = 'always' | 'if empty' | 'never';

/** Commands to append to the mailbox of an actor. */
export interface AppendRequest {
  readonly address: ActorAddress;
  readonly commands: readonly Wire[];
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
  readonly replies: readonly Reply[];
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
      commands: readonly Wire[],
      wakes: WakeWhen = 'if empty',
    ): Promise<AppendResult> => {
      const [result] = await appendAll([{ address, commands, wakes }]);
      if (result instanceof Error) throw result;
      return result ?? { taken: 0, needsWake: false };
    },
    /**
     * Sends the replies, deletes their entries, and reads the next entries in one step. If Redis has lost its data since
     * the last call, only reads. Calls made in one turn of the event loop share a script call.
     *
     * @param epoch of the activation, which must claim the actor before its first call
     * @returns null, and does nothing, if a newer activation has read the mailbox
     */
    take: (address: ActorAddress, epoch: number, replies: readonly Reply[]): Promise<Taken | null> =>
      takes.ask({ address, epoch, replies }),
    /** Registers a process to receive direct wakes for the next `listenerKeptMs`. */
    registerListener: async (channel: string): Promise<void> => {
      await scripts.hubMailboxRegisterListener(redisNames.wakeListeners(), channel, listenerKeptMs);
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
      const lists = mailboxShards.map(redisNames.mailboxes);
      // A Cluster keeps the lists of different shards on different servers.
      const calls = redis.isCluster ? lists.map((list) => [list]) : [lists];
      const found = await Promise.all(
        calls.map((keys) => scripts.hubMailboxesWaiting(keys.length, ...keys, wakeLostAfterMs, limit)),
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
  const keys = [redisNames.wakeListeners(listenersOf)];
  const args: (string | number)[] = [mailboxMax, mailboxKeptMs, listenerKeptMs];
  for (const { address, commands, wakes } of requests) {
    const own = mailboxShardOf(address);
    keys.push(redisNames.mailbox(address), redisNames.mailboxes(own));
    const texts = commands.map((command) => JSON.stringify(command));
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
): Promise<readonly (Taken | null | Error)[]> {
  const keys: string[] = [];
  const args: (string | number)[] = [batchMax, epochKeptMs, readAgainMs];
  for (const { address, epoch, replies } of requests) {
    const shard = mailboxShardOf(address);
    keys.push(redisNames.mailbox(address), redisNames.mailboxes(shard), redisNames.mailboxEpoch(address));
    const texts = textsOf(replies);
    const entryIds = replies.map(({ entryId }) => entryId);
    args.push(address, epoch, entryIds.length, texts.length / 2, ...entryIds, ...texts);
  }
  // Read before the call: a process that is stopped until after the response must not gain time.
  const askedAt = performance.now();
  const [nowMs, incarnation, taken] = await scripts.hubMailboxTake(keys.length, ...keys, ...args);
  return taken.map((entries) =>
    entries === null || entries instanceof Error
      ? entries
      : readEntries(entries, { nowMs, incarnation, askedAt }),
  );
}

function createTakeBatcher(scripts: MailboxScripts, isCluster: boolean) {
  return createBatcher<TakeRequest, Taken | null>({
    maxBatch: takenPerCallMax,
    maxInFlight: takesMax,
    handle: async (requests) => {
      if (!isCluster) return takeFrom(scripts, requests);
      const results = new Map<TakeRequest, Taken | null | Error>();
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

function readEntries(entries: readonly RawEntry[], { nowMs, incarnation, askedAt }: Read): Taken {
  const messages: Message[] = [];
  const replies: Reply[] = [];
  for (const [entryId, [, text, , appendedTo]] of entries) {
    const wire = readWire(text);
    if (wire === null) {
      replies.push({ entryId, id: null, replyTo: null, result: null });
      continue;
    }
    const { timeoutMs, ...rest } = wire;
    // The id of an entry starts with the time at which it was added.
    const leftMs = Number.parseInt(entryId, 10) + timeoutMs - nowMs;
    const message = { ...rest, entryId, deadline: askedAt + leftMs };
    if (leftMs < 0) replies.push(replyTo(message, null));
    // A promoted replica may lack the deletion of an entry whose command was refused. Refusals leave nothing in the
    // store, so handling it again could have another outcome.
    else if (appendedTo !== incarnation) replies.push(replyTo(message, stale));
    else messages.push(message);
  }
  return { messages, replies };
}

const stale = resultOf(queueUnavailable('Redis failed over before the command was handled.'));

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('Redis failed.', { cause: error });
}
