/**
 * Failovers under the workers of many queues, without a hub around them, so that each one affects many
 * connections. Part of
 * `npm run long -- failovers`. A failure prints the seed; `FAULT_SEED` replays the choices.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { createRandom } from '#evals/random.ts';
import { type AnnouncedJob, createJobPublisher, type RedisPublisher } from '#runtime/jobs/job-publisher.ts';
import { type JobWorker, Snooze, startJobWorker } from '#runtime/jobs/job-worker.ts';
import { connectProducer, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { failoversOf } from '#test/workload/disturbances/failover.ts';
import { type RedisUnderTest, startRedisUnderTest } from '#test/workload/redis-under-test.ts';

const isLong = process.env['FAULTS'] === 'all';
const count = Number(process.env['FAILOVERS'] ?? '8');
const queues = Array.from({ length: 8 }, (_, index) => `queue-${index}`);
const startMs = 60_000;
const faultMaxMs = 120_000;
/** How long a job may stay open after it is due. */
const openMaxMs = 30_000;
const enqueueEveryMs = 150;
/** As often as the outbox relay, which skips jobs announced less than 15 seconds ago. */
const announceEveryMs = 5_000;
const laterMaxMs = 4_000;
const handlingMaxMs = 40;
const lastsMaxMs = 2_500;

for (const kind of ['sentinel', 'cluster'] as const) {
  describe.if(isLong)(`workers of a Redis ${kind}`, () => {
    const seed = process.env['FAULT_SEED'] ?? randomBytes(8).toString('hex');
    const random = createRandom(seed, 'queues');
    const logger = createLogger({ name: 'test', level: 'silent' });
    const open = new Map<string, AnnouncedJob>();
    const timers: Timer[] = [];
    let redis: RedisUnderTest;
    let workers: readonly JobWorker[] = [];
    let producer: Redis;
    let publisher: RedisPublisher;
    let enqueued = 0;

    async function handle({ id }: { readonly id: string }): Promise<void> {
      await Bun.sleep(random.int(1, handlingMaxMs));
      const job = open.get(id);
      if (job === undefined) return;
      if (random.int(1, 5) > 1) {
        open.delete(id);
        return;
      }
      const delayMs = random.int(1, laterMaxMs);
      open.set(id, { ...job, runAt: new Date(Date.now() + delayMs) });
      throw new Snooze(delayMs);
    }

    function enqueue(): void {
      enqueued += 1;
      const delayMs = random.int(1, 4) === 1 ? random.int(1, laterMaxMs) : 0;
      const runAt = new Date(Date.now() + delayMs);
      const job = { id: `job-${enqueued}`, kind: 'kind', queue: random.pick(queues), payload: {}, runAt };
      open.set(job.id, job);
      publisher.publish([job]);
    }

    beforeAll(async () => {
      console.log(`failovers of queues on ${kind}: FAULT_SEED=${seed} FAILOVERS=${count}`);
      redis = await startRedisUnderTest({ kind });
      producer = connectProducer(redis.url, logger);
      expect(await isReadyWithin(producer, startMs)).toBe(true);
      publisher = createJobPublisher(producer, logger);
      const options = { concurrency: 4, redisUrl: redis.url, logger, handle };
      workers = queues.map((queue) => startJobWorker({ ...options, queue }));
      timers.push(setInterval(enqueue, enqueueEveryMs / queues.length));
      timers.push(setInterval(() => publisher.publish([...open.values()]), announceEveryMs));
    }, startMs);
    afterAll(async () => {
      timers.forEach((timer) => clearInterval(timer));
      await Promise.all(workers.map((worker) => worker.drain()));
      producer?.disconnect();
      await redis?.stop();
    });

    const slowest = (): number =>
      Math.max(0, ...[...open.values()].map(({ runAt }) => Date.now() - runAt.getTime()));

    test(
      'no job stays open for longer than 30 seconds after a failover',
      async () => {
        for (let turn = 0; turn < count; turn += 1) {
          const failover = random.pick(failoversOf(random));
          const end = await failover.start({ redis });
          // Its queues are opened while Redis fails over.
          publisher = createJobPublisher(producer, logger);
          await Bun.sleep(random.int(1, lastsMaxMs));
          await end();
          const endedAt = performance.now();
          await waitUntil(async () => slowest() < handlingMaxMs + enqueueEveryMs * 10, openMaxMs);
          const openMs = Math.round(performance.now() - endedAt);
          console.log(JSON.stringify({ kind, turn, fault: failover.name, openMs, enqueued }));
        }
      },
      count * faultMaxMs,
    );
  });
}
