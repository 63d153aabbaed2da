/**
 * Runs activations: takes wakes from their queue, and looks after mailboxes whose wake was lost. Any number of processes
 * may do so at the same time; that an actor is active in one of them is the queue's doing, that it does no harm when it
 * is active in two is the epoch's.
 */
import { Worker } from 'bullmq';
import type { Ctx } from '#domain/context.ts';
import { closeWorker } from '#runtime/close-worker.ts';
import type { Logger } from '#runtime/log.ts';
import { redisNames } from '#runtime/redis-names.ts';
import { connectWorker, type Redis } from '#runtime/redis.ts';
import { runActivation } from './activation.ts';
import type { ActorAddress, AnyActorType } from './actor-type.ts';
import { createCommitter } from './committer.ts';
import { activationTurnMs, sweepEveryMs, sweptAtOnceMax, wakeLostAfterMs } from './limits.ts';
import { createMailboxes } from './mailbox.ts';
import { createWakes, wakeQueue } from './wakes.ts';

/** With these the actors of a worker that was killed or stopped are active again within about 4 seconds. */
const lockMs = 3_000;
const stalledCheckMs = 1_000;
/** However often its worker dies, an actor is taken up again. */
const stalledMax = 1_000_000;

export interface ActorWorkerOptions {
  readonly ctx: Ctx;
  readonly types: readonly AnyActorType[];
  /** Activations at once. */
  readonly concurrency: number;
  readonly redisUrl: string;
  /** For short commands; fails at once while Redis is away. */
  readonly redis: Redis;
  readonly logger: Logger;
}

export interface ActorWorker {
  /** Takes up no more actors, and resolves when the batches under way are committed and answered. */
  drain(): Promise<void>;
}

export function startActorWorker(options: ActorWorkerOptions): ActorWorker {
  const { ctx, types, concurrency, redisUrl, redis, logger } = options;
  const mailboxes = createMailboxes(redis);
  const wakes = createWakes(redis, logger);
  const kinds = new Map(
    types.map((type) => [type.name, { type, committer: createCommitter(ctx, type, logger) }]),
  );
  let active = 0;
  let ending = false;

  /** The activations of this process, by actor. */
  const activations = new Map<string, Promise<void>>();

  /** A process that was stopped for a while may be handed the very actor that it still has active. */
  async function activateAlone(address: ActorAddress): Promise<void> {
    const name = `${address.type}:${address.id}`;
    for (let other = activations.get(name); other !== undefined; other = activations.get(name)) {
      await other.catch(() => undefined); // Whoever runs it hears of it.
    }
    const activation = activate(address).finally(() => activations.delete(name));
    activations.set(name, activation);
    await activation;
  }

  async function activate(address: ActorAddress): Promise<void> {
    const kind = kinds.get(address.type);
    if (kind === undefined) return; // A later version's; a process that knows it finds the mailbox.
    const startedAt = performance.now();
    const isTurnOver = async (): Promise<boolean> => {
      if (ending) return true;
      if (active < concurrency || performance.now() - startedAt < activationTurnMs) return false;
      return wakes.areWaiting();
    };
    active += 1;
    try {
      const hasMore = await runActivation({ ...kind, mailboxes, redis, logger, isTurnOver }, address);
      if (hasMore) wakes.wake(address);
    } finally {
      active -= 1;
    }
  }

  const connection = connectWorker(redisUrl, logger);
  const worker = new Worker(
    wakeQueue,
    async ({ data }) => {
      const address = readAddress(data);
      try {
        await activateAlone(address);
      } catch (err) {
        logger.warn({ err, ...address }, 'an activation broke off; the sweep will wake the actor again');
      }
    },
    {
      connection,
      prefix: redisNames.queuePrefix,
      concurrency,
      lockDuration: lockMs,
      stalledInterval: stalledCheckMs,
      maxStalledCount: stalledMax,
      skipVersionCheck: true,
    },
  );
  worker.on('error', (err) => logger.debug({ err }, 'the queue of wakes reports an error'));

  async function sweep(): Promise<void> {
    const nowMs = Date.now();
    for (const address of await mailboxes.findWaiting(nowMs - wakeLostAfterMs, nowMs, sweptAtOnceMax)) {
      wakes.wake(address);
    }
  }
  const sweeping = setInterval(() => {
    sweep().catch((err: unknown) => logger.debug({ err }, 'a sweep of the mailboxes failed'));
  }, sweepEveryMs);

  return {
    drain: async () => {
      ending = true;
      clearInterval(sweeping);
      await closeWorker(worker, connection, () => activations.values());
      await wakes.close();
    },
  };
}

/** Redis is outside our walls. */
function readAddress(data: unknown): ActorAddress {
  if (
    typeof data === 'object' &&
    data !== null &&
    'type' in data &&
    typeof data.type === 'string' &&
    'id' in data &&
    typeof data.id === 'string'
  ) {
    return { type: data.type, id: data.id };
  }
  throw new TypeError('The data of a wake is the address of an actor.');
}
