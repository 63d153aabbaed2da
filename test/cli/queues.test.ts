/** Showing, pausing, draining and retrying queues and jobs while workers are busy. */
import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Queue } from 'bullmq';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { withTransaction } from '#domain/context.ts';
import { closeJobs, enqueue } from '#domain/jobs/enqueue.ts';
import { findJobs } from '#domain/jobs/find-jobs.ts';
import { type JobWorker, Snooze, startJobWorker } from '#runtime/jobs/job-worker.ts';
import { createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { expectRefusal, expectSuccess } from '#test/harness/expect-end.ts';
import { databaseUrlOf, type EndedCommand, runHubCommand } from '#test/harness/hub-command.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { onStore } from '#test/harness/stores.ts';
import { useTransport } from '#test/harness/transport.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
const longMs = 60 * 60 * 1_000;
const openMails = { kinds: ['mail'], state: 'open', limit: 10 } as const;

interface Status {
  readonly name: string;
  readonly paused: boolean;
  readonly workers: number;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly open: number | null;
}

function queuesIn(ended: EndedCommand): readonly Status[] {
  return (ended.json() as { queues: Status[] }).queues;
}

onStore('sqlite', (store) => {
  const transport = useTransport();
  let ctx: TestCtx;
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

  async function statusOf(name: string): Promise<Status> {
    const ended = await expectSuccess(hub(['queues', 'status', '--json']));
    return queuesIn(ended).find((queue) => queue.name === name)!;
  }

  function mailQueue(): Queue {
    return openQueue(transport.redis, 'mail', logger);
  }

  /** @returns the id of the email that the job delivers */
  async function promise(): Promise<string> {
    const mailId = Bun.randomUUIDv7();
    await withTransaction(ctx, (inner) => enqueue(inner, 'mail', { mailId }));
    return mailId;
  }

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
    const mailId = await promise();
    await waitUntil(async () => (await mailQueue().getWaitingCount()) === 1);
    expect(await statusOf('mail')).toMatchObject({ paused: true, workers: 1, active: 0, open: 1 });
    expect((await hub(['jobs', 'list', '--queue', 'mail'])).printed).toContain(mailId);
    expect(done).toEqual([]);

    expect((await hub(['queues', 'resume', 'mail'])).exitCode).toBe(0);
    await waitUntil(() => Promise.resolve(done.length === 1));
    const shown = await hub(['jobs', 'show', mailId, '--json']);
    expect(shown.json()).toMatchObject({ job: { id: done[0], state: 'closed', queue: 'mail' } });
    await expectRefusal(hub(['jobs', 'retry', mailId]), 1, 'is closed');
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
    await waitUntil(() => Promise.resolve(begun.length === 1));
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
    await waitUntil(async () => (await findJobs(ctx, openMails)).length === 0);
  });

  test('`retry` runs a delayed job now, alone or with its whole queue', async () => {
    const tries = new Map<string, number>();
    startWorker(async (jobId) => {
      const tried = (tries.get(jobId) ?? 0) + 1;
      tries.set(jobId, tried);
      if (tried <= 2) throw new Snooze(longMs);
      await close(jobId);
    });
    const mailId = await promise();
    await waitUntil(async () => (await mailQueue().getDelayedCount()) === 1);
    const shown = await hub(['jobs', 'show', mailId]);
    expect(shown.printed).toMatch(/in queue +delayed/);
    const [jobId] = [...tries.keys()];

    await expectSuccess(hub(['jobs', 'retry', mailId]));
    await waitUntil(() => Promise.resolve(tries.get(jobId!) === 2));
    await waitUntil(async () => (await mailQueue().getDelayedCount()) === 1);
    const all = await hub(['queues', 'retry', 'mail']);
    expect(all.printed).toBe('mail: 1 open jobs are due now\n');
    await waitUntil(async () => (await findJobs(ctx, openMails)).length === 0);
    expect(tries.get(jobId!)).toBe(3);
  });

  test('`retry` publishes a job that the queue has lost', async () => {
    await mailQueue().pause();
    const mailId = await promise();
    await waitUntil(async () => (await mailQueue().getWaitingCount()) === 1);
    await transport.redis.flushall();
    expect(await statusOf('mail')).toMatchObject({ paused: false, waiting: 0, open: 1 });
    expect((await hub(['jobs', 'show', mailId])).printed).toMatch(/in queue +unknown/);
    await hub(['jobs', 'retry', mailId]);
    await waitUntil(async () => (await mailQueue().getWaitingCount()) === 1);
  });
});

test('without a Redis the commands say which hub they looked for', async () => {
  const env = { DATABASE_URL: 'sqlite:/nonexistent-hub/hub.sqlite' };
  const resumed = runHubCommand(['queues', 'resume', 'mail'], env);
  await expectRefusal(resumed, 78, '/nonexistent-hub/hub.sqlite');
});
