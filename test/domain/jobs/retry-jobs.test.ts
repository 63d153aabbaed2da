/** An operator retries open jobs: they become due in every row that says so, and closed jobs stay closed. */
import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { withTransaction } from '#domain/context.ts';
import { closeJobs } from '#domain/jobs/enqueue.ts';
import { findJob, findJobs } from '#domain/jobs/find-jobs.ts';
import { listOpenJobIds, retryJobs } from '#domain/jobs/retry-jobs.ts';
import { claimMail, settleMail } from '#domain/mail/claim-mail.ts';
import { sendMail } from '#domain/mail/send-mail.ts';
import { findDelivery } from '#domain/webhooks/enqueue-deliveries.ts';
import { recordAttempt } from '#domain/webhooks/record-attempt.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { deliveriesOf, deliveryJobOf, register, tell } from '#test/harness/webhooks.ts';

/** An email that was refused once and waits for its next attempt. */
async function refusedMail(ctx: TestCtx): Promise<{ mailId: string; jobId: string }> {
  const mailId = await withTransaction(ctx, (inner) =>
    sendMail(inner, { kind: 'notice', to: null, replyTo: null, subject: 'A seat', text: 'It was booked.' }),
  );
  const job = await findJob(ctx, mailId);
  const jobId = job!.id;
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
  test('an email that waits for its next attempt can be claimed at once', async () => {
    const ctx = createTestCtx(store.db);
    const { mailId, jobId } = await refusedMail(ctx);
    expect((await claimMail(ctx, { mailId, jobId })).state).toBe('later');
    expect(await retryJobs(ctx, [jobId])).toHaveLength(1);
    expect(ctx.published.at(-1)).toMatchObject({ id: jobId, kind: 'mail', queue: 'mail' });
    expect((await claimMail(ctx, { mailId, jobId })).state).toBe('claimed');
  });

  test('an email that a worker is sending is left to it', async () => {
    const ctx = createTestCtx(store.db);
    const { mailId, jobId } = await refusedMail(ctx);
    await retryJobs(ctx, [jobId]);
    await claimMail(ctx, { mailId, jobId });
    await retryJobs(ctx, [jobId]);
    expect((await claimMail(ctx, { mailId, jobId })).state).toBe('later');
  });

  test('a delivery that waits for its next attempt becomes due, in its own row and in its job', async () => {
    const ctx = createTestCtx(store.db);
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
    const ctx = createTestCtx(store.db);
    const { jobId } = await refusedMail(ctx);
    await withTransaction(ctx, (inner) => closeJobs(inner, [jobId]));
    expect(await retryJobs(ctx, [jobId])).toEqual([]);
    expect(
      (await findJobs(ctx, { kinds: ['mail'], state: 'closed', limit: 10 })).map(({ id }) => id),
    ).toContain(jobId);
  });

  test('a job is found by its own id and by the id of its subject', async () => {
    const ctx = createTestCtx(store.db);
    const { deliveryId, jobId } = await failedDelivery(ctx);
    expect((await findJob(ctx, jobId))?.id).toBe(jobId);
    expect((await findJob(ctx, deliveryId))?.id).toBe(jobId);
    expect(await findJob(ctx, '01900000-0000-7000-8000-000000000000')).toBeNull();
  });

  test('open jobs of a kind are listed page by page, each once', async () => {
    const ctx = createTestCtx(store.db);
    for (let index = 0; index < 3; index += 1) await refusedMail(ctx);
    const { jobs } = ctx.db.tables;
    const seen: string[] = [];
    for (let after: string | null = null; ; after = seen.at(-1) ?? null) {
      const page = await listOpenJobIds(ctx, { kinds: ['mail'], after, limit: 2 });
      if (page.length === 0) break;
      seen.push(...page);
    }
    const open = await findJobs(ctx, { kinds: ['mail'], state: 'open', limit: 100 });
    expect(new Set(seen)).toEqual(new Set(open.map(({ id }) => id)));
    expect(seen).toHaveLength(open.length);
    const kinds = await ctx.db.query.select({ kind: jobs.kind }).from(jobs).where(eq(jobs.id, seen[0]!));
    expect(kinds).toEqual([{ kind: 'mail' }]);
  });
});
