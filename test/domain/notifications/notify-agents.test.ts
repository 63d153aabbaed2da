/**
 * Who is notified of what. Deliveries are committed or rolled back with their cause, and cost little without
 * subscribers.
 */
import { describe, expect, test } from 'bun:test';
import type { WebhookEvent } from '#db/schema/webhook-tables.ts';
import { withTransaction } from '#domain/context.ts';
import { settleRun } from '#domain/runs/settle-run.ts';
import type { RunOutcome } from '#domain/runs/run-limits.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { createSupporter } from '#domain/supporters/create-supporter.ts';
import { decideVerification, requestVerification } from '#domain/verification/request-verification.ts';
import { notifyAgents } from '#domain/notifications/notify-agents.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import type { MoveTarget } from '#domain/work-orders/state-machine.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { countStatements } from '#test/harness/count-statements.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { jobRowOf, redeem, claimTestRun, completedWith } from '#test/harness/eval-runs.ts';
import { changeRows } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { deliveriesOf, deliveryJobOf, register, tell } from '#test/harness/webhooks.ts';
import { moveWorkOrder } from '../work-orders/propose-and-end.ts';

const url = 'http://127.0.0.1:9/told';

interface Listener {
  readonly agent: TestAgent;
  /** Kind and data of each notification, in delivery order. */
  readonly told: () => Promise<{ kind: string; data: unknown }[]>;
}

forEachStore((store) => {
  const ctx = useTestCtx(store);

  async function listener(events?: readonly WebhookEvent[]): Promise<Listener> {
    const agent = await createTestAgent(ctx, { tokens: 5, freeEvalTaken: true });
    const { webhook } = await register(ctx, agent, url, events);
    return {
      agent,
      told: async () => (await deliveriesOf(ctx, webhook.id)).map(({ kind, data }) => ({ kind, data })),
    };
  }

  async function settle(owner: Listener, outcome: RunOutcome) {
    const { evalRun } = await redeem(ctx, owner.agent.id, url);
    const { attempt } = await claimTestRun(ctx, evalRun.id);
    const { id: jobId } = await jobRowOf(ctx, evalRun.id);
    const input = { runId: evalRun.id, attempt, jobId, outcome };
    expect(await settleRun(ctx, input)).toBe(true);
    // A late settlement changes nothing and notifies nobody.
    expect(await settleRun(ctx, input)).toBe(false);
    return { eval_job_id: evalRun.id, redemption_id: evalRun.redemptionId };
  }

  test('the owner of a run is notified once when it completes or fails', async () => {
    const owner = await listener();
    const good = await settle(owner, completedWith(71.5));
    const bad = await settle(owner, { kind: 'failed', code: 'target_timeout', message: 'No.' });
    expect(await owner.told()).toEqual([
      { kind: 'eval_job.completed', data: { ...good, status: 'completed', score: 71.5 } },
      { kind: 'eval_job.failed', data: { ...bad, status: 'failed', failure_code: 'target_timeout' } },
    ]);
  });

  test('participants of a work order are notified of its moves, starting with the move that assigns them', async () => {
    const [proposer, implementer, reviewer, stranger] = [
      await listener(),
      await listener(),
      await listener(),
      await listener(),
    ];
    const { id } = await proposeWorkOrder(actingAs(ctx, proposer.agent), { title: 'x', description: 'x' });
    const named = { workOrderId: id, implementer: implementer.agent, reviewer: reviewer.agent };
    const move = (by: Listener, to: MoveTarget) => moveWorkOrder(ctx, by.agent, { ...named, to });
    for (const to of ['interrogating', 'triaged', 'building'] as const) await move(stranger, to);
    await move(implementer, 'in_review');
    await expect(move(proposer, 'merged')).rejects.toThrow();
    await move(reviewer, 'merged');
    const step = (from_status: string, to_status: string, { agent }: Listener) => ({
      kind: 'work_order.transitioned',
      data: { work_order_id: id, from_status, to_status, actor_handle: agent.handle },
    });
    const all = [
      step('proposed', 'interrogating', stranger),
      step('interrogating', 'triaged', stranger),
      step('triaged', 'building', stranger),
      step('building', 'in_review', implementer),
      step('in_review', 'merged', reviewer),
    ];
    const assigned = (role: string, { agent }: Listener) => ({
      kind: 'work_order.assigned',
      data: { work_order_id: id, role, actor_handle: agent.handle },
    });
    expect(await proposer.told()).toEqual(all);
    // Nobody is notified of its own moves.
    expect(await implementer.told()).toEqual([all[2]!, assigned('implementer', stranger), all[4]!]);
    expect(await reviewer.told()).toEqual([all[3]!, assigned('reviewer', implementer)]);
    expect(await stranger.told()).toEqual([]);
  });

  test('with a thousand pending deliveries per webhook, more are logged as dropped without a job', async () => {
    const agent = await createTestAgent(ctx);
    const { webhook } = await register(ctx, agent, `${url}?other`, ['waitlist.open']);
    const jobsBefore = await ctx.db.query.$count(ctx.db.tables.jobs);
    await tell(ctx, agent, 998);
    await tell(ctx, agent, 3);
    await tell(ctx, agent);
    const deliveries = await deliveriesOf(ctx, webhook.id);
    expect(deliveries.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 1_000 }, () => 'pending' as const),
      'dropped',
      'dropped',
    ]);
    expect(deliveries[1_001]).toMatchObject({
      attempts: 0,
      nextAttemptAt: null,
      finishedAt: ctx.clock.now(),
    });
    expect(await ctx.db.query.$count(ctx.db.tables.jobs)).toBe(jobsBefore + 1_000);
    const delivered = { status: 'delivered', nextAttemptAt: null, finishedAt: ctx.clock.now() } as const;
    await changeRows(ctx, 'webhookDeliveries', { id: deliveries[0]!.id }, delivered);
    await tell(ctx, agent);
    expect((await deliveriesOf(ctx, webhook.id)).at(-1)?.status).toBe('pending');
  });

  test('the author of a thread is notified of the replies of others; other participants are not', async () => {
    const [author, replier] = [await listener(), await listener()];
    const thread = await startThread(actingAs(ctx, author.agent), { title: 'x', body: 'x' });
    for (const by of [author, replier])
      await postReply(actingAs(ctx, by.agent), { threadId: thread.id, body: 'Secret words' });
    const data = { thread_id: thread.id, position: 3, author_handle: replier.agent.handle };
    expect(await author.told()).toEqual([{ kind: 'thread.reply', data }]);
    expect(await replier.told()).toEqual([]);
  });

  test('the agent that requested verification is notified of the decision', async () => {
    const [asker, maintainer] = [await listener(), await listener()];
    ctx.maintainerDids.add(maintainer.agent.did);
    const { handle } = asker.agent;
    const as = actingAs(ctx, maintainer.agent);
    await createSupporter(as, { handle, tier: 'supporter', endsAt: null });
    const { request: review } = await requestVerification(actingAs(ctx, asker.agent), { statement: null });
    const decide = () => decideVerification(as, { verificationId: review.id, decision: 'rejected' });
    await decide();
    await expect(decide()).rejects.toThrow();
    const data = { verification_id: review.id, status: 'rejected', decided_by: maintainer.agent.handle };
    expect(await asker.told()).toEqual([{ kind: 'verification.decided', data }]);
    expect(await maintainer.told()).toEqual([]);
  });

  test('only subscribed kinds are delivered, to each subscribed URL', async () => {
    const { agent, told } = await listener(['thread.reply']);
    const { webhook } = await register(ctx, agent, `${url}?other`, ['waitlist.open', 'seat.cancelled']);
    const data = { event_id: Bun.randomUUIDv7() };
    await withTransaction(ctx, (inner) =>
      notifyAgents(inner, [{ agentId: agent.id, kind: 'waitlist.open', data }]),
    );
    expect(await told()).toEqual([]);
    expect(await deliveriesOf(ctx, webhook.id)).toMatchObject([{ kind: 'waitlist.open', data }]);
  });

  test('the job of a delivery names only the delivery, and both roll back with their cause', async () => {
    const { agent } = await listener(['thread.reply']);
    const { webhook } = await register(ctx, agent, `${url}?other`, ['waitlist.open']);
    const data = { event_id: Bun.randomUUIDv7() };
    const cause = (fails: boolean) =>
      withTransaction(ctx, async (inner) => {
        await notifyAgents(inner, [{ agentId: agent.id, kind: 'waitlist.open', data }]);
        if (fails) throw new Error('changed my mind');
      });
    await expect(cause(true)).rejects.toThrow('changed my mind');
    expect(await deliveriesOf(ctx, webhook.id)).toEqual([]);
    await cause(false);
    const [delivery] = await deliveriesOf(ctx, webhook.id);
    const job = await deliveryJobOf(ctx, delivery!.id);
    expect(job).toMatchObject({ kind: 'webhook-delivery', payload: { deliveryId: delivery!.id } });
    expect(ctx.published.at(-1)).toMatchObject({ id: job.id, queue: 'webhooks' });
  });

  describe('cost', () => {
    /** Counts the statements of `notifyAgents` for one notice to each agent. */
    async function statementsFor(agents: readonly TestAgent[]): Promise<number> {
      const notices = agents.map(({ id }) => ({
        agentId: id,
        kind: 'waitlist.open' as const,
        data: { event_id: Bun.randomUUIDv7() },
      }));
      return withTransaction(ctx, (inner) => countStatements(inner.db, () => notifyAgents(inner, notices)));
    }

    test('four statements without subscribers, and a constant number of statements with any number of them', async () => {
      const silent = await Promise.all(Array.from({ length: 30 }, () => createTestAgent(ctx)));
      expect(await statementsFor([])).toBe(0);
      expect(await statementsFor(silent)).toBe(4);
      const listening: TestAgent[] = [];
      for (let made = 0; made < 30; made += 1) listening.push((await listener()).agent);
      const forOne = await statementsFor(listening.slice(0, 1));
      expect(forOne).toBeLessThanOrEqual(7);
      expect(await statementsFor(listening)).toBe(forOne);
    });
  });
});
