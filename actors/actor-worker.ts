/**
 * Runs activations: takes wakes from their queue, and sweeps for mailboxes whose wake was lost. Any number of
 * processes may do so at the same time. The queue normally keeps an actor active in only one of them; if it is active
 * in two, the epoch makes that harmless.
 */
import { type Ctx, withTransaction } from '#domain/context.ts';
import { wakeQueue } from '#domain/jobs/queue-names.ts';
import { startJobWorker } from '#runtime/jobs/job-worker.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import type { Tracing } from '#runtime/tracing/tracing.ts';
import { runActivation } from './activation.ts';
import type { ActorAddress, AnyActorType } from './actor-type.ts';
import { createClaims } from './claims.ts';
import { traceCommands } from './command-traces.ts';
import { createCommitter } from './committer.ts';
import { activationTurnMs, lockMs, stalledCheckMs, sweepEveryMs, sweptAtOnceMax } from './limits.ts';
import { createMailboxes } from './mailbox.ts';
import { createWakes } from './wakes.ts';

export interface ActorWorkerOptions {
  readonly ctx: Ctx;
  readonly types: readonly AnyActorType[];
  /** Concurrent activations. */
  readonly concurrency: number;
  readonly redisUrl: string;
  /** For short commands; fails at once while Redis is away. */
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
  const { ctx, types, concurrency, redisUrl, redis, logger, tracing = null } = options;
  const mailboxes = createMailboxes(redis);
  const wakes = createWakes(redis, logger);
  const kinds = new Map(
    types.map((type) => {
      const committer = createCommitter(ctx, type, logger, tracing);
      const claims = createClaims((actorIds) => withTransaction(ctx, (inner) => type.claim(inner, actorIds)));
      return [type.name, { type, claims, committer: traceCommands(committer, tracing, type.name) }];
    }),
  );
  const active = new Map<ActorAddress, Promise<void>>();
  let ending = false;

  async function activate(address: ActorAddress): Promise<void> {
    const [typeName = '', actorId = ''] = address.split('/');
    const kind = kinds.get(typeName);
    if (kind === undefined) return; // A type of a later version. A process that knows it will sweep the mailbox.
    const startedAt = performance.now();
    const isTurnOver = async (): Promise<boolean> => {
      if (ending) return true;
      if (active.size < concurrency || performance.now() - startedAt < activationTurnMs) return false;
      return wakes.areWaiting();
    };
    try {
      const hasMore = await runActivation({ ...kind, mailboxes, logger, isTurnOver }, address, actorId);
      if (hasMore) await wakes.wake(address);
    } catch (err) {
      logger.warn({ err, address }, 'activation failed; the sweep will wake the actor again');
    }
  }

  /** After a pause (SIGSTOP, suspend), a process may be given an actor that is still active in it. */
  async function activateAlone(address: ActorAddress): Promise<void> {
    while (active.has(address)) await active.get(address);
    const activation = activate(address).finally(() => active.delete(address));
    active.set(address, activation);
    await activation;
  }

  const worker = startJobWorker({
    queue: wakeQueue,
    concurrency,
    redisUrl,
    logger,
    recovery: { lockMs, stalledCheckMs },
    // Anything else in the queue matches no actor.
    handle: ({ payload }) => activateAlone(String(payload) as ActorAddress),
  });
  const sweeping = setInterval(() => {
    mailboxes
      .findWaiting(sweptAtOnceMax)
      .then((addresses) => Promise.all(addresses.map(wakes.wake)))
      .catch((err: unknown) => logger.debug({ err }, 'mailbox sweep failed'));
  }, sweepEveryMs);

  return {
    drain: async () => {
      ending = true;
      clearInterval(sweeping);
      await worker.drain();
      await wakes.close();
    },
  };
}
