/** A process whose clock was a day ahead leaves future instants behind. Nothing waits until they pass. */
import { beforeEach, expect, test } from 'bun:test';
import { withTransaction } from '#domain/context.ts';
import { claimRun } from '#domain/runs/hold-run.ts';
import { claimKey } from '#domain/idempotency/claim-key.ts';
import { enqueueAll } from '#domain/jobs/enqueue.ts';
import { postponeJob, reannounceOpenJobs } from '#domain/jobs/reannounce-open-jobs.ts';
import { claimMail } from '#domain/mail/claim-mail.ts';
import { sendMail } from '#domain/mail/send-mail.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { forEachStore } from '#test/harness/stores.ts';

const dayMs = 24 * 60 * 60 * 1_000;

forEachStore((store) => {
  let ctx: TestCtx;
  beforeEach(async () => {
    ctx = createTestCtx(store.db);
    await store.db.transaction((tx) => tx.query.delete(tx.tables.jobs));
  });

  async function aDayAhead<Result>(work: () => Promise<Result>): Promise<Result> {
    ctx.clock.advance(dayMs);
    const result = await work();
    ctx.clock.advance(-dayMs);
    return result;
  }
  const addJob = () =>
    withTransaction(ctx, (inner) => enqueueAll(inner, 'run', [{ runId: Bun.randomUUIDv7() }]));
  const reannounce = () => reannounceOpenJobs(ctx, { announcedBefore: ctx.clock.now(), limit: 10 });

  test('a job is announced again and due at once', async () => {
    await aDayAhead(addJob);
    expect(await reannounce()).toBe(1);
    const again = ctx.published.at(-1)!;
    expect(again.id).toBe(ctx.published[0]!.id);
    expect(again.runAt).toEqual(ctx.clock.now());
    expect(await reannounce()).toBe(0);
  });

  test('a job postponed by a correct clock is left alone', async () => {
    await addJob();
    const { id } = ctx.published[0]!;
    await withTransaction(ctx, (inner) =>
      postponeJob(inner, id, new Date(ctx.clock.now().getTime() + dayMs)),
    );
    expect(await reannounce()).toBe(0);
  });

  test('a run whose runner died is claimed again', async () => {
    const agent = await createTestAgent(ctx, { tokens: 2, freeEvalTaken: true });
    const { evalRun } = await redeem(ctx, agent.id, 'https://target.example/');
    const input = { runId: evalRun.id };
    expect((await aDayAhead(() => claimRun(ctx, input))).state).toBe('claimed');
    expect((await claimRun(ctx, input)).state).toBe('claimed');
    expect((await claimRun(ctx, input)).state).toBe('busy');
  });

  test('an idempotency key whose request died is free', async () => {
    const agent = await createTestAgent(ctx);
    const request = { route: 'POST /v1/threads', key: crypto.randomUUID(), requestHash: 'same' };
    const claim = () => claimKey(actingAs(ctx, agent), request);
    expect(await aDayAhead(claim)).toHaveProperty('claim');
    expect(await claim()).toHaveProperty('claim');
    expect(claim()).rejects.toMatchObject({ code: 'request_in_progress' });
  });

  test('an email that was never attempted is attempted', async () => {
    const mail = { kind: 'notice', to: null, replyTo: null, subject: 'Now', text: 'Or tomorrow?' } as const;
    const mailId = await aDayAhead(() => withTransaction(ctx, (inner) => sendMail(inner, mail)));
    const claim = () => claimMail(ctx, { mailId, jobId: ctx.published.at(-1)!.id });
    expect((await claim()).state).toBe('claimed');
    expect((await claim()).state).toBe('later');
  });
});
