/** Rows are deleted once they are older than the operator's setting, and never with 0. */
import { expect, test } from 'bun:test';
import { pruneItems } from '#domain/runs/sweep-runs.ts';
import { pruneEmails } from '#domain/inbox/receive-email.ts';
import { setEmailStatus } from '#domain/inbox/list-emails.ts';
import { pruneWebhooks } from '#domain/webhooks/prune-webhooks.ts';
import { withTransaction } from '#domain/context.ts';
import { createId } from '#runtime/create-id.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { changeRows, rowOf, rowsOf } from '#test/harness/rows.ts';
import { eraseAll } from '#test/harness/erase-all.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { deliveriesOf, register, tell } from '#test/harness/webhooks.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const days = (retentionDays: number) => ({ retentionDays });

forEachStore((store) => {
  const ctx = useTestCtx(store);

  test('archived emails are deleted, and no others', async () => {
    const { inboxEmails } = ctx.db.tables;
    const now = ctx.clock.now();
    const ids = [createId(now), createId(now)];
    await withTransaction(ctx, ({ db }) =>
      db.query.insert(inboxEmails).values(
        ids.map((id) => ({
          id,
          identity: id,
          messageId: null,
          sender: 'a@example.com',
          recipients: 'b@example.com',
          subject: 'x',
          text: 'x',
          attachments: [],
          status: 'new' as const,
          receivedAt: now,
          updatedAt: now,
        })),
      ),
    );
    await setEmailStatus(ctx, { emailId: ids[0]!, status: 'archived' });
    ctx.clock.advance(365 * dayMs);
    expect([await pruneEmails(ctx, days(365)), await pruneEmails(ctx, days(0))]).toEqual([0, 0]);
    ctx.clock.advance(1);
    expect([await pruneEmails(ctx, days(0)), await pruneEmails(ctx, days(365))]).toEqual([0, 1]);
    expect(await rowsOf(ctx, 'inboxEmails')).toMatchObject([{ id: ids[1] }]);
  });

  test('the cases of old runs are deleted once, and the score and the scorecard stay', async () => {
    const agent = await createTestAgent(ctx);
    const { evalRun } = await redeem(ctx, agent.id, 'https://agent.example/answer');
    const { runItems, runLeases, runScorecards } = ctx.db.tables;
    const jobId = evalRun.id;
    const result = {
      index: 0,
      case_id: 'case',
      trial: 1,
      status: 'passed',
      score: 1,
      graders: [],
      response_text: 'x',
      error_code: null,
      attempts: 1,
      latency_ms: 1,
    } as const;
    const finishedAt = ctx.clock.now();
    const completed = { status: 'completed', chargeState: 'consumed', score: 50, finishedAt } as const;
    await changeRows(ctx, 'runs', { id: jobId }, completed);
    await withTransaction(ctx, async ({ db }) => {
      await db.query
        .insert(runItems)
        .values({ runId: jobId, itemIndex: 0, position: 1, result, share: 1, finishedAt });
      await db.query.insert(runLeases).values({
        runId: jobId,
        itemIndex: 0,
        times: 1,
        handedOutAt: finishedAt,
        expiresAt: finishedAt,
        steps: [{ text: 'x', calls: [] }],
        latencyMs: 1,
      });
      await db.query.insert(runScorecards).values({ runId: jobId, scoreJson: {} });
    });
    const left = async () => {
      const [items, leases] = [
        await rowsOf(ctx, 'runItems', { runId: jobId }),
        await rowsOf(ctx, 'runLeases', { runId: jobId }),
      ];
      return [items.length, leases.length];
    };
    ctx.clock.advance(180 * dayMs);
    expect(await pruneItems(ctx, days(180))).toBe(0);
    ctx.clock.advance(1);
    expect(await pruneItems(ctx, days(0))).toBe(0);
    expect(await left()).toEqual([1, 1]);
    expect([await pruneItems(ctx, days(180)), await pruneItems(ctx, days(180))]).toEqual([1, 0]);
    const pruned = { score: 50, itemsPrunedAt: ctx.clock.now() };
    expect(await rowOf(ctx, 'runs', { id: jobId })).toMatchObject(pruned);
    await eraseAll(ctx);
    expect(await left()).toEqual([0, 0]);
    expect(await rowsOf(ctx, 'runScorecards', { runId: jobId })).toHaveLength(1);
  });

  test('the delivery log is kept with 0', async () => {
    const agent = await createTestAgent(ctx);
    const { webhook } = await register(ctx, agent, 'http://127.0.0.1:9/hook');
    await tell(ctx, agent);
    await changeRows(ctx, 'webhookDeliveries', {}, { status: 'delivered', finishedAt: ctx.clock.now() });
    ctx.clock.advance(8 * dayMs);
    await pruneWebhooks(ctx, days(0));
    expect(await deliveriesOf(ctx, webhook.id)).toHaveLength(1);
    await pruneWebhooks(ctx, days(7));
    expect(await deliveriesOf(ctx, webhook.id)).toEqual([]);
  });
});
