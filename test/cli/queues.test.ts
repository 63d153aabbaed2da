/** Showing, pausing, draining and retrying queues while workers are busy. */
import { afterEach, beforeAll, expect, test } from 'bun:test';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { closeJobs, enqueue } from '#domain/jobs/enqueue.ts';
import { listOpenJobIds } from '#domain/jobs/retry-jobs.ts';
import { type JobWorker, Snooze, startJobWorker } from '#runtime/jobs/job-worker.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { expectRefusal, expectSuccess } from '#test/harness/expect-end.ts';
import { databaseUrlOf, type EndedCommand, runHubCommand } from '#test/harness/hub-command.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { onStore } from '#test/harness/stores.ts';
import { useTransport } from '#test/harness/transport.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
const longMs = 60 * 60 * 1_000;
const openMails = { kinds: ['mail'], after: null, limit: 10 } as const;

const queuesIn = (ended: EndedCommand) => (ended.json() as { queues: { name: string }[] }).queues;

onStore('sqlite', (store) => {
  const transport = useTransport();
  let ctx: Ctx;
  let worker: JobWorker | undefined;

  beforeAll(() => {
    ctx = { ...createTestCtx(store.db), publisher: transport.publisher };
  });
  afterEach(async () => {
    await worker?.drain();
    worker = undefined;
    await mailQueue().resume();
  });

  function hub(words: readonly string[]): Promise<EndedCommand> {
    return runHubCommand(words, {
      DATABASE_URL: databaseUrlOf(store.setting),
      REDIS_URL: transport.redisUrl,
    });
  }

  async function statusOf(name: string) {
    const ended = await expectSuccess(hub(['queues', 'status', '--json']));
    return queuesIn(ended).find((queue) => queue.name === name)!;
  }
  const mailQueue = () => openQueue(transport.redis, 'mail', logger);
  const isDone = async () => (await listOpenJobIds(ctx, openMails)).length === 0;

  const promise = () =>
    withTransaction(ctx, (inner) => enqueue(inner, 'mail', { mailId: Bun.randomUUIDv7() }));

  function startWorker(handle: (jobId: string) => Promise<void>): void {
    worker = startJobWorker({
      queue: 'mail',
      concurrency: 5,
      redisUrl: transport.redisUrl,
      logger,
      handle: ({ id }) => handle(id),
    });
  }

  const close = (jobId: string) => withTransaction(ctx, (inner) => closeJobs(inner, [jobId]));

  test('jobs of a paused queue wait, and run after `resume`', async () => {
    const done: string[] = [];
    startWorker(async (jobId) => {
      await close(jobId);
      done.push(jobId);
    });
    await expectRefusal(hub(['queues', 'pause', 'mail']), 2, 'Add --yes');
    expect((await hub(['queues', 'pause', 'mail', '--yes'])).printed).toContain('PAUSED');
    await promise();
    await waitUntil(async () => (await mailQueue().getWaitingCount()) === 1);
    expect(await statusOf('mail')).toMatchObject({ paused: true, workers: 1, active: 0, open: 1 });
    expect(done).toEqual([]);

    expect((await hub(['queues', 'resume', 'mail'])).exitCode).toBe(0);
    await waitUntil(() => done.length === 1);
  });

  test('draining waits for running jobs, keeps waiting ones, and leaves the queue paused', async () => {
    const release = Promise.withResolvers<void>();
    const begun: string[] = [];
    startWorker(async (jobId) => {
      begun.push(jobId);
      await release.promise;
      await close(jobId);
    });
    await promise();
    await waitUntil(() => begun.length === 1);
    const tooSoon = await hub(['queues', 'drain', 'mail', '--timeout', '1', '--yes', '--json']);
    expect(tooSoon.exitCode).toBe(1);
    expect(queuesIn(tooSoon)[0]).toMatchObject({ paused: true, active: 1 });

    await promise();
    const drained = hub(['queues', 'drain', 'mail', '--yes', '--json']);
    release.resolve();
    const ended = await drained;
    expect(ended.exitCode).toBe(0);
    expect(queuesIn(ended)[0]).toMatchObject({ paused: true, active: 0, open: 1 });
    expect(begun).toHaveLength(1);
    await mailQueue().resume();
    await waitUntil(isDone);
  });

  test('`retry` runs the delayed jobs of a queue now', async () => {
    let tries = 0;
    startWorker(async (jobId) => {
      tries += 1;
      if (tries === 1) throw new Snooze(longMs);
      await close(jobId);
    });
    await promise();
    await waitUntil(async () => (await mailQueue().getDelayedCount()) === 1);
    const all = await hub(['queues', 'retry', 'mail']);
    expect(all.printed).toBe('mail: 1 open jobs are due now\n');
    await waitUntil(isDone);
    expect(tries).toBe(2);
  });

  test('`retry` publishes jobs that the queue has lost', async () => {
    await mailQueue().pause();
    await promise();
    await waitUntil(async () => (await mailQueue().getWaitingCount()) === 1);
    await transport.redis.flushall();
    expect(await statusOf('mail')).toMatchObject({ paused: false, waiting: 0, open: 1 });
    await hub(['queues', 'retry', 'mail']);
    await waitUntil(async () => (await mailQueue().getWaitingCount()) === 1);
  });
});

test('without a Redis the commands say which hub they looked for', async () => {
  const env = { DATABASE_URL: 'sqlite:/nonexistent-hub/hub.sqlite' };
  const resumed = runHubCommand(['queues', 'resume', 'mail'], env);
  await expectRefusal(resumed, 78, '/nonexistent-hub/hub.sqlite');
});
