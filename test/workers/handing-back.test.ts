/**
 * A worker that is told to stop finishes its work or hands it back, and the next worker continues without a
 * delay.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Ctx } from '#domain/context.ts';
import { queueOfKind, wakeQueue } from '#domain/jobs/job-kinds.ts';
import { systemClock } from '#runtime/clock.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { readRun, redeemPaid } from '#test/harness/eval-runs.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { startTestHub } from '#test/harness/hub.ts';
import { sendTestMail } from '#test/harness/mail-pool.ts';
import { startReceiver } from '#test/harness/receiver.ts';
import { rowOf } from '#test/harness/rows.ts';
import { expectSeatAccountsRight } from '#test/harness/seat-accounts.ts';
import { silentLogger } from '#test/harness/silent-logger.ts';
import { useTransport } from '#test/harness/transport.ts';
import { startTestSmtpServer } from '#test/harness/smtp.ts';
import { onStore } from '#test/harness/stores.ts';
import { startTarget } from '#test/harness/target.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { deliveriesOf, deliveryJobOf, register, tell } from '#test/harness/webhooks.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/harness/worker-process.ts';
import type { PoolName } from '#workers/pool-registry.ts';

/** Work that was handed back is due within this time; a lease or lock would take seconds to expire. */
const dueWithinMs = 1_000;
const reservations = 300;
const triesMax = 20;

onStore('postgres', (store) => {
  const workers: WorkerProcess[] = [];
  let ctx: Ctx;

  const transport = useTransport();
  beforeAll(() => {
    ctx = { ...createTestCtx(store.db), clock: systemClock, publisher: transport.publisher };
  });
  afterAll(() => Promise.all(workers.map((worker) => worker.end('SIGKILL'))));

  async function start(pool: PoolName, settings: Record<string, string> = {}): Promise<WorkerProcess> {
    const stores = { database: store.setting, redisUrl: transport.redisUrl };
    const worker = await startWorkerProcess([pool], stores, settings);
    workers.push(worker);
    return worker;
  }

  const queueOf = (name: string) => openQueue(transport.redis, name, silentLogger);

  const readMail = (id: string) => rowOf(ctx, 'mails', { id });

  /**
   * How long the queue waits before it gives the job to the next worker; fails if the job is still assigned.
   */
  async function dueAgainInMs(queueName: string, jobId: string): Promise<number> {
    const job = await queueOf(queueName).getJob(jobId);
    expect(['delayed', 'waiting']).toContain((await job?.getState()) ?? 'gone');
    return job?.delay ?? 0;
  }

  test.concurrent('an eval run is handed back with its stored cases, and the next worker continues at once', async () => {
    const stuck = Promise.withResolvers<void>();
    let isStuck = true;
    await using target = startTarget(() => {
      // Several cases are asked at a time, of up to five turns, and the run ends if its first case fails.
      if (!isStuck || target.calls.length < 24) return 'no';
      stuck.resolve();
      return new Promise<never>(() => undefined);
    });
    // The shutdown must end the calls, not their own time limit.
    const first = await start('eval-runner', { EVAL_CALL_TIMEOUT_MS: '30000' });
    const { runId } = await redeemPaid(ctx, target.url);
    await stuck.promise;
    expect(await first.end('SIGTERM')).toBe(0);

    const { job, cases, row } = await readRun(ctx, runId);
    expect([job.status, job.attempt, row.closedAt]).toEqual(['running', 1, null]);
    expect(job.leaseUntil!.getTime()).toBeLessThanOrEqual(Date.now());
    expect(cases.length).toBeGreaterThan(0);
    expect(await dueAgainInMs(queueOfKind.run, row.id)).toBeLessThanOrEqual(dueWithinMs);

    isStuck = false;
    const landed = new Set(cases.map(({ itemIndex }) => `${runId}-${itemIndex}`));
    const callsBefore = target.calls.length;
    await start('eval-runner');
    await waitUntil(async () => (await readRun(ctx, runId)).job.status === 'completed');
    const again = target.calls.slice(callsBefore).map(({ idempotencyKey }) => idempotencyKey ?? '');
    expect(again.filter((key) => landed.has(key))).toEqual([]);
    expect((await readRun(ctx, runId)).job.attempt).toBe(2);
  });

  test.concurrent('a webhook delivery that completes in time is recorded, and one that does not is handed back unattempted', async () => {
    const slow = startReceiver();
    const silent = startReceiver();
    const answered = Promise.withResolvers<Response>();
    slow.answer = () => answered.promise;
    silent.answer = () => new Promise<never>(() => undefined);
    const agent = await createTestAgent(ctx);
    const webhooks = [
      (await register(ctx, agent, slow.url)).webhook.id,
      (await register(ctx, agent, silent.url)).webhook.id,
    ] as const;
    const first = await start('webhooks');
    await tell(ctx, agent);
    await waitUntil(async () => slow.received.length + silent.received.length === 2);
    await first.tellToEnd();
    answered.resolve(new Response());
    expect(await first.exited).toBe(0);

    const [delivered] = await deliveriesOf(ctx, webhooks[0]);
    expect([delivered?.status, delivered?.attempts]).toEqual(['delivered', 1]);
    const [left] = await deliveriesOf(ctx, webhooks[1]);
    expect([left?.status, left?.attempts]).toEqual(['pending', 0]);
    const row = await deliveryJobOf(ctx, left?.id ?? '');
    expect(await dueAgainInMs(queueOfKind['webhook-delivery'], row.id)).toBeLessThanOrEqual(dueWithinMs);

    silent.answer = () => new Response();
    await start('webhooks');
    await waitUntil(async () => (await deliveriesOf(ctx, webhooks[1]))[0]?.status === 'delivered');
    expect(new Set(silent.received.map(({ id }) => id)).size).toBe(1);
    await Promise.all([slow.stop(), silent.stop()]);
  });

  test.concurrent('the worker waits for an email that the server is accepting, sends it once, and takes no other', async () => {
    const smtp = await startTestSmtpServer();
    const goOn = Promise.withResolvers<void>();
    smtp.onMessage = () => goOn.promise;
    const worker = await start('mail', { SMTP_URL: smtp.url, MAIL_FROM: 'hub@hub.test' });
    const mailId = await sendTestMail(ctx);
    await waitUntil(async () => smtp.arrived() === 1);
    await worker.tellToEnd();
    const laterId = await sendTestMail(ctx);
    await waitUntil(async () => (await queueOf('mail').getWaitingCount()) === 1);
    goOn.resolve();
    expect(await worker.exited).toBe(0);
    const mail = await readMail(mailId);
    expect([mail?.status, mail?.attempt, smtp.taken.length]).toEqual(['sent', 1, 1]);
    const later = await readMail(laterId);
    expect([later?.status, later?.attempt]).toEqual(['waiting', 0]);
    expect(await queueOf('mail').getWaitingCount()).toBe(1);
    await smtp.close();
  });

  test.concurrent('actors reply to the commands they have taken, and the next worker handles the rest of their mailbox', async () => {
    const hub = await startTestHub({ store, redisUrl: transport.redisUrl, checkResponses: false });
    const event = await createTestEvent(hub.ctx, { seatsTotal: reservations, tokenPrice: 1 });
    const crowd = await createCrowd(hub.ctx, reservations, 1);
    const first = await start('seats');
    let answered = 0;
    const statuses = crowd.map(async ({ bearerToken }) => {
      // The same key is safe to send again, as the 503 response says.
      for (let tries = 1; ; tries += 1) {
        const { status } = await hub.fetch(`/v1/events/${event.id}/reserve`, {
          token: bearerToken,
          json: { idempotency_key: 'once' },
        });
        if (status === 200) answered += 1;
        if (status !== 503 || tries === triesMax) return status;
      }
    });
    await waitUntil(async () => answered > 0);
    expect(await first.end('SIGTERM')).toBe(0);
    expect(await queueOf(wakeQueue).getActiveCount()).toBe(0);
    await start('seats');
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
    await expectSeatAccountsRight(hub.db);
    await hub.close();
  });
});
