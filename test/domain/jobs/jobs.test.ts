/**
 * Open jobs are announced again until they are closed, closed ones never, and old closed ones are pruned.
 */
import { beforeEach, expect, test } from 'bun:test';
import { withTransaction } from '#domain/context.ts';
import { closeJobs, enqueueAll, enqueue } from '#domain/jobs/enqueue.ts';
import { pruneClosedJobs, reannounceOpenJobs } from '#domain/jobs/reannounce-open-jobs.ts';
import { openDatabase } from '#db/open-database.ts';
import type { TestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { readQueueBacklog } from '#domain/jobs/read-queue-backlog.ts';
import { listOpenJobIds, retryJobs } from '#domain/jobs/retry-jobs.ts';
import { claimMail, settleMail } from '#domain/mail/claim-mail.ts';
import { runLeaseMs } from '#domain/runs/run-limits.ts';
import { sendMail } from '#domain/mail/send-mail.ts';
import { findDelivery } from '#domain/webhooks/enqueue-deliveries.ts';
import { recordAttempt } from '#domain/webhooks/record-attempt.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { claimTestRun, redeemPaid } from '#test/harness/eval-runs.ts';
import { changeRows, rowOf, rowsOf } from '#test/harness/rows.ts';
import { useFreshCtx } from '#test/harness/use-agent-ctx.ts';
import { deliveriesOf, deliveryJobOf, register, tell } from '#test/harness/webhooks.ts';

const secondMs = 1_000;
const dayMs = 24 * 60 * 60 * secondMs;

forEachStore((store) => {
  const ctx = useFreshCtx(store);
  beforeEach(() => store.db.transaction((tx) => tx.query.delete(tx.tables.jobs)));

  /** Adds jobs and advances the clock by a second. */
  async function add(count: number): Promise<string[]> {
    const known = ctx.published.length;
    const payloads = Array.from({ length: count }, () => ({ runId: Bun.randomUUIDv7() }));
    await withTransaction(ctx, (inner) => enqueueAll(inner, 'run', payloads));
    ctx.clock.advance(secondMs);
    return ctx.published.slice(known).map(({ id }) => id);
  }
  /** The ids announced by `work`. */
  async function announcedBy(work: () => Promise<unknown>): Promise<string[]> {
    const known = ctx.published.length;
    await work();
    return ctx.published.slice(known).map(({ id }) => id);
  }
  const close = (ids: readonly string[]) => withTransaction(ctx, (inner) => closeJobs(inner, ids));
  const reannounce = (limit = 100, announcedBefore = ctx.clock.now()) =>
    reannounceOpenJobs(ctx, { announcedBefore, limit });

  test('the job of a run that a worker holds does not wait; the next one does, and that of a dead worker', async () => {
    const backlog = () => readQueueBacklog(ctx, 'eval-runs', null);
    const runIds: string[] = [];
    for (let count = 0; count < 2; count += 1) {
      runIds.push((await redeemPaid(ctx, 'https://agent.example/')).runId);
      ctx.clock.advance(secondMs);
    }
    expect(await backlog()).toEqual({ open: 2, oldestWaitingMs: 2 * secondMs });
    await claimTestRun(ctx, runIds[0]!);
    expect(await backlog()).toEqual({ open: 2, oldestWaitingMs: secondMs });
    await claimTestRun(ctx, runIds[1]!);
    expect(await backlog()).toEqual({ open: 2, oldestWaitingMs: 0 });
    ctx.clock.advance(runLeaseMs);
    expect(await backlog()).toEqual({ open: 2, oldestWaitingMs: 2 * secondMs + runLeaseMs });
  });

  test('an open job is announced again unchanged, if it was not announced since the given instant', async () => {
    await add(1);
    const first = ctx.published[0]!;
    expect(await announcedBy(() => reannounce())).toEqual([first.id]);
    expect(ctx.published[1]).toEqual(first);
    expect(await reannounce()).toBe(0);
    ctx.clock.advance(1);
    expect(await reannounce()).toBe(1);
  });

  test('the least recently announced jobs come first, up to the limit per call', async () => {
    const oldest = await add(2);
    const middle = await add(2);
    const newest = await add(2);
    const before = ctx.clock.now();
    expect((await announcedBy(() => reannounce(2, before))).toSorted()).toEqual(oldest);
    expect((await announcedBy(() => reannounce(3, before))).toSorted()).toEqual([...middle, newest[0]!]);
    expect(await announcedBy(() => reannounce(3, before))).toEqual([newest[1]!]);
    expect(await reannounce(3, before)).toBe(0);
  });

  test('closing twice keeps the first instant, and closing nothing does nothing', async () => {
    const [id] = await add(1);
    const closedAt = ctx.clock.now();
    await close([id!]);
    ctx.clock.advance(secondMs);
    await close([id!]);
    await close([]);
    expect(await rowOf(ctx, 'jobs', { id: id! })).toMatchObject({ closedAt });
  });

  test('a job of a kind unknown to this version is left for one that knows it', async () => {
    const [id] = await add(1);
    await changeRows(ctx, 'jobs', { id: id! }, { kind: 'of-tomorrow' });
    expect(await announcedBy(() => reannounce())).toEqual([]);
    expect(await rowOf(ctx, 'jobs', { id: id! })).toMatchObject({ closedAt: null });
  });

  test('concurrent relays and workers do not conflict, and no closed job is announced later', async () => {
    const ids = await add(300);
    const other = await openDatabase(store.setting);
    const otherCtx = { ...ctx, db: other };
    const closed = new Set<string>();
    const relay = async (base: TestCtx) => {
      for (let round = 0; round < 12; round += 1) {
        ctx.clock.advance(1);
        await reannounceOpenJobs(base, { announcedBefore: ctx.clock.now(), limit: 60 });
      }
    };
    const closer = async (base: TestCtx, mine: readonly string[]) => {
      for (let start = 0; start < mine.length; start += 10) {
        const batch = mine.slice(start, start + 10).toReversed();
        await withTransaction(base, (inner) => closeJobs(inner, batch));
        for (const id of batch) closed.add(id);
      }
    };
    const third = (place: number) => ids.filter((_, index) => index % 3 === place);
    await Promise.all([relay(ctx), relay(otherCtx), closer(ctx, third(0)), closer(otherCtx, third(1))]);
    await other.close();
    ctx.clock.advance(1);
    const open = await announcedBy(() => reannounce(1_000));
    expect(open.toSorted()).toEqual(ids.filter((id) => !closed.has(id)));
  });

  test('jobs closed more than seven days ago are deleted; open ones are kept at any age', async () => {
    const [open, old, recent] = await add(3);
    await close([old!]);
    ctx.clock.advance(1);
    await close([recent!]);
    ctx.clock.advance(7 * dayMs);
    expect(await pruneClosedJobs(ctx)).toBe(1);
    expect(await pruneClosedJobs(ctx)).toBe(0);
    expect((await rowsOf(ctx, 'jobs')).map(({ id }) => id)).toEqual([open!, recent!]);
  });

  test('at most 1,000 jobs are pruned at a time', async () => {
    const ids = await add(1_001);
    await close(ids);
    ctx.clock.advance(8 * dayMs);
    expect([await pruneClosedJobs(ctx), await pruneClosedJobs(ctx)]).toEqual([1_000, 1]);
  });
});

/** An email that was refused once and waits for its next attempt. */
async function refusedMail(ctx: TestCtx): Promise<{ mailId: string; jobId: string }> {
  const mailId = await withTransaction(ctx, (inner) =>
    sendMail(inner, { kind: 'notice', to: null, replyTo: null, subject: 'A seat', text: 'It was booked.' }),
  );
  const jobId = ctx.published.at(-1)!.id;
  const claim = await claimMail(ctx, { mailId, jobId });
  if (claim.state !== 'claimed') throw new Error('The mail could not be claimed.');
  const answer = { kind: 'refused', permanent: false, said: 'Not now.' } as const;
  await settleMail(ctx, { mail: claim.mail, jobId, answer });
  return { mailId, jobId };
}

/** A delivery that failed once and waits for its next attempt. */
async function failedDelivery(ctx: TestCtx): Promise<{ deliveryId: string; jobId: string }> {
  const agent = await createTestAgent(ctx);
  const { webhook } = await register(ctx, agent, 'http://127.0.0.1:9/');
  await tell(ctx, agent);
  const [delivery] = await deliveriesOf(ctx, webhook.id);
  const deliveryId = delivery!.id;
  const { id: jobId } = await deliveryJobOf(ctx, deliveryId);
  const found = await findDelivery(ctx.db, deliveryId);
  const outcome = { kind: 'failed', error: 'unreachable', responseStatus: null } as const;
  await recordAttempt(ctx, { found: found!, outcome, jobId });
  return { deliveryId, jobId };
}

forEachStore((store) => {
  const ctx = useFreshCtx(store);

  test('an email that waits for its next attempt can be claimed at once, but not while a worker sends it', async () => {
    const { mailId, jobId } = await refusedMail(ctx);
    expect((await claimMail(ctx, { mailId, jobId })).state).toBe('later');
    expect(await retryJobs(ctx, [jobId])).toHaveLength(1);
    expect(ctx.published.at(-1)).toMatchObject({ id: jobId, kind: 'mail', queue: 'mail' });
    expect((await claimMail(ctx, { mailId, jobId })).state).toBe('claimed');
    await retryJobs(ctx, [jobId]);
    expect((await claimMail(ctx, { mailId, jobId })).state).toBe('later');
  });

  test('a delivery that waits for its next attempt becomes due, in its own row and in its job', async () => {
    const { deliveryId, jobId } = await failedDelivery(ctx);
    const before = await findDelivery(ctx.db, deliveryId);
    expect(before!.delivery.nextAttemptAt!.getTime()).toBeGreaterThan(ctx.clock.now().getTime());
    const [job] = await retryJobs(ctx, [jobId]);
    expect(job!.runAt).toEqual(ctx.clock.now());
    const after = await findDelivery(ctx.db, deliveryId);
    expect(after!.delivery.nextAttemptAt).toEqual(ctx.clock.now());
    expect(after!.delivery.attempts).toBe(1);
  });

  test('a closed job is not retried', async () => {
    const { jobId } = await refusedMail(ctx);
    await withTransaction(ctx, (inner) => closeJobs(inner, [jobId]));
    expect(await retryJobs(ctx, [jobId])).toEqual([]);
    expect((await rowOf(ctx, 'jobs', { id: jobId })).closedAt).not.toBeNull();
  });

  test('open jobs of a kind are listed page by page, each once', async () => {
    const added: string[] = [];
    for (let index = 0; index < 3; index += 1) added.push((await refusedMail(ctx)).jobId);
    const seen: string[] = [];
    for (let after: string | null = null; ; after = seen.at(-1) ?? null) {
      const page = await listOpenJobIds(ctx, { kinds: ['mail'], after, limit: 2 });
      if (page.length === 0) break;
      seen.push(...page);
    }
    expect(seen).toEqual(expect.arrayContaining(added));
    expect(new Set(seen).size).toBe(seen.length);
    expect(await rowOf(ctx, 'jobs', { id: seen[0]! })).toMatchObject({ kind: 'mail' });
  });
});

/**
 * A job is committed or rolled back with the transaction that enqueues it, and announced only after the
 * commit.
 */
forEachStore((store) => {
  const ctx = useFreshCtx(store);

  const jobsOf = async (runId: string) =>
    (await rowsOf(ctx, 'jobs')).filter(({ payload }) => (payload as { runId: string }).runId === runId);

  test('a job is stored with its transaction and announced unchanged after the commit', async () => {
    const runId = Bun.randomUUIDv7();
    await withTransaction(ctx, async (inner) => {
      await enqueue(inner, 'run', { runId });
      expect(ctx.published).toEqual([]);
      expect(await jobsOf(runId)).toEqual([]);
    });
    const [row, ...others] = await jobsOf(runId);
    expect(others).toEqual([]);
    const now = ctx.clock.now();
    expect(row).toMatchObject({ kind: 'run', createdAt: now, runAt: now, closedAt: null });
    expect(ctx.published).toEqual([
      { id: row!.id, kind: 'run', queue: 'eval-runs', payload: { runId }, runAt: now },
    ]);
  });

  test('the cause of a job is stored in its row and announced again after Redis has lost it', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const cause = { requestId: Bun.randomUUIDv7(), traceparent };
    const [first, second] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
    const other = { requestId: Bun.randomUUIDv7() };
    await withTransaction({ ...ctx, cause }, (inner) =>
      // In a batch, each job has its own cause.
      enqueueAll(inner, 'run', [{ runId: first }, { runId: second, cause: other }]),
    );
    const payloads: unknown[] = [
      { runId: first, cause },
      { runId: second, cause: other },
    ];
    expect(ctx.published.map(({ payload }): unknown => payload)).toEqual(payloads);
    expect((await jobsOf(first)).map(({ payload }) => payload)).toEqual(payloads.slice(0, 1));
    const announcedBefore = new Date(ctx.clock.now().getTime() + 1);
    await reannounceOpenJobs(ctx, { announcedBefore, limit: 1_000 });
    const again = ctx.published.slice(2).map(({ payload }): unknown => payload);
    for (const payload of payloads) expect(again).toContainEqual(payload);
  });

  test('many jobs are announced in order, with ascending ids, and none without payloads', async () => {
    await withTransaction(ctx, (inner) => enqueueAll(inner, 'run', []));
    const payloads = Array.from({ length: 50 }, () => ({ runId: Bun.randomUUIDv7() }));
    await withTransaction(ctx, (inner) => enqueueAll(inner, 'run', payloads));
    expect(ctx.published.map(({ payload }) => payload)).toEqual(payloads);
    const ids = ctx.published.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(50);
  });
});
