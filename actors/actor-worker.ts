/**
 * Runs activations: takes wakes from their queue, receives direct ones, and sweeps for mailboxes whose wake was lost.
 * Any number of processes may do so at the same time. An actor is normally active in only one of them; if it is active
 * in two, the epoch makes that harmless.
 */
import { type Ctx, withTransaction } from '#domain/context.ts';
import { wakeQueue } from '#domain/jobs/job-kinds.ts';
import { startJobWorker } from '#runtime/jobs/job-worker.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { connectSubscriber, keepSubscribed, type Redis } from '#runtime/redis/redis.ts';
import type { Tracing } from '#runtime/tracing/tracing.ts';
import { createClaims, runActivation } from './activation.ts';
import type { ActorAddress, AnyActorType } from './actor-type.ts';
import { traceCommands } from './command-traces.ts';
import { createCommitter } from './committer.ts';
import {
  activationTurnMs,
  lockMs,
  stalledCheckMs,
  sweepEveryMs,
  sweptPerShardMax,
  wakeTimeoutMs,
} from './limits.ts';
import { createMailboxes, type Mailboxes } from './mailbox.ts';
import { createWakes, type Wakes } from './wakes.ts';

export interface ActorWorkerOptions {
  readonly ctx: Ctx;
  readonly types: readonly AnyActorType[];
  /** Maximum of activations from the queue. While at least as many actors are active, direct wakes go to the queue. */
  readonly concurrency: number;
  readonly redisUrl: string;
  /** For short commands; fails immediately while Redis is away. */
  readonly redis: Redis;
  readonly logger: Logger;
  /** Null or left out: commands have no spans. */
  readonly tracing?: Tracing | null;
}

export interface ActorWorker {
  /** Stops taking wakes, and resolves when the current batches are committed and replied to. */
  drain(): Promise<void>;
}

export function startActorWorker(options: ActorWorkerOptions): ActorWorker {
  const { types, concurrency, redisUrl, redis, logger } = options;
  const mailboxes = createMailboxes(redis);
  const wakes = createWakes(redis, logger);
  const kinds = new Map(types.map((type) => [type.name, prepareKind(type, options)]));
  const active = createActiveActors();
  let ending = false;

  async function activate(address: ActorAddress): Promise<void> {
    const [typeName = '', actorId = ''] = address.split('/');
    const kind = kinds.get(typeName);
    if (kind === undefined) return; // A type of a later version. A process that knows it will sweep the mailbox.
    const startedAt = performance.now();
    const isTurnOver = async (): Promise<boolean> => {
      if (ending) return true;
      if (active.count() < concurrency || performance.now() - startedAt < activationTurnMs) return false;
      return wakes.areWaiting();
    };
    const deps = { ...kind, mailboxes, logger, isTurnOver };
    try {
      const hasMore = await runActivation(deps, address, actorId);
      if (hasMore) await wakes.wake(address);
    } catch (err) {
      logger.warn({ err, address }, 'activation failed; the sweep will wake the actor again');
    }
  }

  async function activateDirectly(address: ActorAddress): Promise<void> {
    if (!(await active.ended(address))) return;
    // The queue decides which actor gets the next slot, and whether actors are activated at all.
    if (active.count() >= concurrency || sweep.isPaused()) await wakes.wake(address);
    else await active.run(address, () => activate(address));
  }

  const direct = redis.isCluster
    ? null // A Cluster does not report whether a process has received a message.
    : listenToWakes(redisUrl, logger, (address) => void activateDirectly(address));
  const sweep = startSweep({ mailboxes, wakes, channel: direct?.channel ?? null, logger });
  const worker = startJobWorker({
    queue: wakeQueue,
    concurrency,
    redisUrl,
    logger,
    recovery: { lockMs, stalledCheckMs },
    handle: ({ payload }) => {
      const address = String(payload) as ActorAddress; // Anything else in the queue matches no actor.
      return active.run(address, () => activate(address));
    },
  });

  return {
    drain: async () => {
      ending = true;
      sweep.stop();
      await direct?.close();
      await worker.drain();
      await active.allEnded();
    },
  };
}

/** The actors that are active in this process. Each has at most one activation at a time. */
interface ActiveActors {
  readonly count: () => number;
  /**
   * Activates an actor after its current activation, if any, has ended. After a pause (SIGSTOP, suspend), a process may
   * be given an actor that is still active in it.
   */
  run(address: ActorAddress, activate: () => Promise<void>): Promise<void>;
  /**
   * Waits until the actor is not active.
   * @returns false immediately if an earlier call is waiting; its caller then activates the actor for both
   */
  ended(address: ActorAddress): Promise<boolean>;
  allEnded(): Promise<void>;
}

function createActiveActors(): ActiveActors {
  const active = new Map<ActorAddress, Promise<void>>();
  const awaited = new Set<ActorAddress>();

  async function run(address: ActorAddress, activate: () => Promise<void>): Promise<void> {
    while (active.has(address)) await active.get(address);
    const activation = activate().finally(() => active.delete(address));
    active.set(address, activation);
    await activation;
  }

  return {
    count: () => active.size,
    run,
    ended: async (address) => {
      if (awaited.has(address)) return false;
      awaited.add(address);
      while (active.has(address)) await active.get(address);
      awaited.delete(address);
      return true;
    },
    allEnded: async () => {
      while (active.size > 0) await Promise.all(active.values());
    },
  };
}

/** Wakes that skip the queue: `append` sends them to one of the registered processes. */
interface DirectWakes {
  readonly channel: string;
  /** Stops receiving wakes; they go to the queue again. Never rejects. */
  close(): Promise<void>;
}

function listenToWakes(
  redisUrl: string,
  logger: Logger,
  onWake: (address: ActorAddress) => void,
): DirectWakes {
  const subscriber = connectSubscriber(redisUrl, logger);
  const channel = redisNames.wakes + Bun.randomUUIDv7();
  subscriber.on('message', (_channel: string, addresses: string) => {
    for (const address of addresses.split(' ')) onWake(address as ActorAddress);
  });
  keepSubscribed(subscriber, channel);
  return {
    channel,
    close: async () => {
      const left = subscriber.status === 'ready' ? subscriber.unsubscribe(channel) : Promise.resolve();
      await Promise.race([left, Bun.sleep(wakeTimeoutMs)]).catch(() => undefined);
      subscriber.disconnect();
    },
  };
}

function prepareKind(type: AnyActorType, { ctx, logger, tracing = null }: ActorWorkerOptions) {
  const committer = createCommitter(ctx, type, logger, tracing);
  const claims = createClaims((actorIds) => withTransaction(ctx, (inner) => type.claim(inner, actorIds)));
  return { type, claims, committer: traceCommands(committer, tracing, type.name) };
}

interface SweepDeps {
  readonly mailboxes: Mailboxes;
  readonly wakes: Wakes;
  /** To register for direct wakes; null: none. */
  readonly channel: string | null;
  readonly logger: Logger;
}

function startSweep({ mailboxes, wakes, channel, logger }: SweepDeps) {
  let isPaused = false;
  const failed = (err: unknown): void => logger.debug({ err }, 'mailbox sweep failed');
  const register = (): void => {
    if (channel !== null) mailboxes.registerListener(channel).catch(failed);
  };
  const sweeping = setInterval(() => {
    register();
    Promise.all([wakes.arePaused(), mailboxes.findWaiting(sweptPerShardMax)])
      .then(([arePaused, addresses]) => {
        isPaused = arePaused;
        return Promise.all(addresses.map(wakes.wake));
      })
      .catch(failed);
  }, sweepEveryMs);
  register();
  return {
    /** Whether an operator had paused the queue at the last sweep. */
    isPaused: () => isPaused,
    stop: () => clearInterval(sweeping),
  };
}
