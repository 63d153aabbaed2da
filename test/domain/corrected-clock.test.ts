/** A clock that was ahead and then corrected keeps nobody waiting: windows have both ends. */
import { expect, test, beforeEach } from 'bun:test';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { sendContactMessage } from '#domain/contact/send-contact-message.ts';
import { reportSubject } from '#domain/moderation/report-subject.ts';
import { createSignInLink } from '#domain/sessions/sign-in-link.ts';
import { commentOnWorkOrder, listComments } from '#domain/work-orders/comment-on-work-order.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { newKey, registration, signUp } from '#test/domain/agents/sign-up.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { useTestCtx, actingAs } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { withTransaction } from '#domain/context.ts';
import { claimRun } from '#domain/runs/hold-run.ts';
import { claimKey } from '#domain/idempotency/claim-key.ts';
import { enqueueAll } from '#domain/jobs/enqueue.ts';
import { postponeJob, reannounceOpenJobs } from '#domain/jobs/reannounce-open-jobs.ts';
import { claimMail } from '#domain/mail/claim-mail.ts';
import { sendMail } from '#domain/mail/send-mail.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { useFreshCtx } from '#test/harness/use-agent-ctx.ts';
import { allPages, tally } from './outcomes.ts';

const aheadMs = 3 * 60 * 60 * 1_000;

const outcomeOf = async (act: Promise<unknown>) => Object.keys(await tally([act]))[0];

forEachStore((store) => {
  const ctx = useTestCtx(store);

  test('what was used up while the clock was ahead does not count after the correction', async () => {
    const { ctx: own } = await signUp(ctx);
    const others: string[] = [];
    for (let n = 0; n < 24; n += 1) others.push((await createTestAgent(ctx)).handle);
    const key = newKey();
    const acts: Readonly<Record<string, (n: number) => Promise<unknown>>> = {
      report: (n) => reportSubject(own, { subject: { kind: 'agent', id: others[n] ?? '' }, reason: 'Spam' }),
      contact: () =>
        sendContactMessage(ctx, {
          name: null,
          contact: 'a@b.example',
          message: 'Hello',
          networkHash: 'a-network',
        }),
      propose: () => proposeWorkOrder(own, { title: 'A title', description: 'x' }),
      link: () => createSignInLink(own),
      'sign up': () => registerAgent(ctx, registration('late-bird', key)),
    };
    ctx.clock.advance(aheadMs);
    const used: string[] = [];
    for (const [name, act] of Object.entries(acts))
      for (let n = 0; n < 24; n += 1) {
        if ((await outcomeOf(act(n))) === 'ok') continue;
        used.push(name);
        break;
      }
    expect(used).toEqual(Object.keys(acts));
    ctx.clock.advance(-aheadMs);
    for (const [name, act] of Object.entries(acts))
      expect([name, await outcomeOf(act(23))]).toEqual([name, 'ok']);
  });

  test('comments stay in the order in which they were written', async () => {
    const { ctx: own } = await signUp(ctx);
    const { id: workOrderId } = await proposeWorkOrder(own, { title: 'A title', description: 'x' });
    const comment = (body: string) => commentOnWorkOrder(own, { workOrderId, body });
    ctx.clock.advance(aheadMs);
    await comment('first');
    ctx.clock.advance(-aheadMs);
    for (const body of ['second', 'third']) await comment(body);
    const pages = await allPages((cursor) => listComments(ctx, { workOrderId, cursor, limit: 1 }));
    expect(pages.flat().map(({ body }) => body)).toEqual(['first', 'second', 'third']);
  });
});

/** A process whose clock was a day ahead leaves future instants behind. Nothing waits until they pass. */
const dayMs = 24 * 60 * 60 * 1_000;

forEachStore((store) => {
  const ctx = useFreshCtx(store);
  beforeEach(() => store.db.transaction((tx) => tx.query.delete(tx.tables.jobs)));

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
