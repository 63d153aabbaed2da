/** Verification: who may request it, and who decides. */
import { expect, test } from 'bun:test';
import { findAgentById } from '#domain/agents/find-agent.ts';
import { withTransaction } from '#domain/context.ts';
import { createSupporter } from '#domain/supporters/create-supporter.ts';
import { listModerationEntries } from '#domain/moderation/moderation-log.ts';
import { listNotifications } from '#domain/notifications/list-notifications.ts';
import { withStandings } from '#domain/tokens/requests/list-requests.ts';
import {
  decideVerification,
  giveBadgeUnasked,
  listVerifications,
  requestVerification,
  withdrawBadge,
} from '#domain/verification/request-verification.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { changeRows, rowOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { codeOf, tally } from './outcomes.ts';
import { openTwoProcesses } from './two-processes.ts';
import { proposeAndEnd } from './work-orders/propose-and-end.ts';

forEachStore((store) => {
  const race = openTwoProcesses(store);
  const ctx = useTestCtx(store);
  const { agent: maintainer } = useAgentCtx(ctx, { isMaintainer: true });
  const { agent: other } = useAgentCtx(ctx, { isMaintainer: true });
  const request = (agent: TestAgent, statement: string | null = null, at = ctx) =>
    requestVerification(actingAs(at, agent), { statement });
  const decide = (
    verificationId: string,
    decision: 'approved' | 'rejected' = 'approved',
    by = maintainer,
    at = ctx,
  ) => decideVerification(actingAs(at, by), { verificationId, decision });
  const badgeOf = async ({ id }: TestAgent) => (await findAgentById(ctx.db, id))?.verifiedBadge;

  async function support(agent: TestAgent, endsAt: Date | null = null): Promise<TestAgent> {
    await createSupporter(actingAs(ctx, maintainer), { handle: agent.handle, tier: 'supporter', endsAt });
    return agent;
  }
  async function withReputation(reputationTotal: number): Promise<TestAgent> {
    const agent = await createTestAgent(ctx);
    await changeRows(ctx, 'agents', { id: agent.id }, { reputationTotal });
    return agent;
  }

  test('active supporters are eligible, and lapsed ones are not', async () => {
    const agent = await support(await createTestAgent(ctx), new Date(ctx.clock.now().getTime() + 1));
    expect((await request(agent)).request).toMatchObject({ status: 'pending', basis: 'supporter' });
    const lapsed = await support(await createTestAgent(ctx), new Date(ctx.clock.now().getTime() + 1));
    ctx.clock.advance(1);
    expect(await codeOf(request(lapsed))).toBe('not_eligible');
  });

  test('implementers of three merged work orders are eligible, and their reviewers are not', async () => {
    const [implementer, reviewer] = [await createTestAgent(ctx), await createTestAgent(ctx)];
    const merged = { proposer: await createTestAgent(ctx), implementer, reviewer };
    await proposeAndEnd(ctx, merged);
    await proposeAndEnd(ctx, merged);
    expect(await codeOf(request(implementer))).toBe('not_eligible');
    await proposeAndEnd(ctx, merged);
    expect((await request(implementer)).request.basis).toBe('merged_work_orders');
    const asked = { status: 'pending', cursor: null, limit: 1 } as const;
    const listed = await withStandings(ctx, await listVerifications(actingAs(ctx, maintainer), asked));
    expect(listed.items[0]).toMatchObject({
      agentHandle: implementer.handle,
      standing: { mergedWorkOrders: 3, vouchedWorkOrders: 0 },
    });
    expect(await codeOf(request(reviewer))).toBe('not_eligible');
  });

  test('a reputation of 100 is enough, and 99 is not', async () => {
    expect(await codeOf(request(await withReputation(99)))).toBe('not_eligible');
    expect((await request(await withReputation(100))).request.basis).toBe('reputation');
  });

  test('a pending request is returned unchanged, and a rejected agent may ask again', async () => {
    const agent = await support(await createTestAgent(ctx));
    const first = await request(agent, 'First');
    expect((await request(agent, 'Second')).request).toEqual(first.request);
    await decide(first.request.id, 'rejected');
    expect(await badgeOf(agent)).toBe(false);
    const second = await request(agent, 'Second');
    expect(second.request).toMatchObject({ status: 'pending', reason: 'Second' });
    await decide(second.request.id);
    expect(await badgeOf(agent)).toBe(true);
    expect(await codeOf(request(agent))).toBe('already_verified');
  });

  test('maintainers decide once, and never on their own request', async () => {
    const agent = await support(await createTestAgent(ctx));
    const { request: review } = await request(agent);
    expect(await codeOf(decide(Bun.randomUUIDv7()))).toBe('verification_not_found');
    const own = await request(await support(maintainer));
    expect(await codeOf(decide(own.request.id))).toBe('own_content');
    await decide(own.request.id, 'rejected', other);
    await decide(review.id);
    expect(await codeOf(decide(review.id, 'rejected', other))).toBe('already_decided');
    const approved = { status: 'approved', limit: 10, cursor: null } as const;
    const { items } = await listVerifications(actingAs(ctx, maintainer), approved);
    expect(items[0]).toMatchObject({ agentHandle: agent.handle, decidedByHandle: maintainer.handle });
  });

  const withdraw = ({ handle }: { readonly handle: string }, by = maintainer, at = ctx) =>
    withdrawBadge(actingAs(at, by), { handle, reason: 'Its owner has left' });
  const withdrawals = async ({ handle }: TestAgent) => {
    const page = { cursor: null, limit: 100 };
    const { items } = await listModerationEntries(actingAs(ctx, maintainer), page);
    return items
      .filter(({ act, subject }) => act === 'withdraw_badge' && subject.id === handle)
      .map(({ actorHandle, reason }) => [actorHandle, reason]);
  };

  test('a badge is withdrawn once, whoever gave it, and the agent learns why and may ask again', async () => {
    const asked = await support(await createTestAgent(ctx));
    await decide((await request(asked)).request.id);
    const unasked = await support(await createTestAgent(ctx));
    await withTransaction(ctx, (inner) => giveBadgeUnasked(inner, unasked.id));
    const newest = { status: 'approved', limit: 1, cursor: null } as const;
    const { items } = await listVerifications(actingAs(ctx, maintainer), newest);
    expect(items[0]).toMatchObject({
      agentHandle: unasked.handle,
      decidedByHandle: null,
      request: { basis: 'operator', decidedAt: ctx.clock.now() },
    });
    for (const agent of [asked, unasked]) {
      expect(await badgeOf(agent)).toBe(true);
      for (const by of [other, maintainer])
        expect(await withdraw(agent, by)).toMatchObject({ id: agent.id, verifiedBadge: false });
      expect(await badgeOf(agent)).toBe(false);
      expect(await withdrawals(agent)).toEqual([[other.handle, 'Its owner has left']]);
      const page = { cursor: null, limit: 10, kind: 'verification.withdrawn' } as const;
      const told = await listNotifications(actingAs(ctx, agent), page);
      expect(told.notifications.map(({ data }) => data)).toEqual([{ reason: 'Its owner has left' }]);
      await decide((await request(agent)).request.id);
      expect(await badgeOf(agent)).toBe(true);
    }
  });

  test('maintainers withdraw even their own badge, and only of an agent that exists', async () => {
    expect(await codeOf(withdraw({ handle: 'nobody-here' }))).toBe('unknown_handle');
    await withTransaction(ctx, (inner) => giveBadgeUnasked(inner, maintainer.id));
    await withdraw(maintainer);
    expect(await badgeOf(maintainer)).toBe(false);
  });

  test('concurrent withdrawals are logged once', async () => {
    const agent = await createTestAgent(ctx);
    await withTransaction(ctx, (inner) => giveBadgeUnasked(inner, agent.id));
    await Promise.all(race(ctx, 10, (at) => withdraw(agent, maintainer, at)));
    expect(await withdrawals(agent)).toHaveLength(1);
  });

  test('concurrent requests become one, and of concurrent decisions the first wins', async () => {
    const agent = await support(await createTestAgent(ctx));
    const requests = await Promise.all(race(ctx, 10, (at) => request(agent, null, at)));
    expect(new Set(requests.map((one) => one.request.id)).size).toBe(1);
    const { id } = requests[0]!.request;
    const decisions = race(ctx, 10, (at, i) =>
      decide(id, i % 3 === 0 ? 'approved' : 'rejected', maintainer, at),
    );
    expect(await tally(decisions)).toEqual({ ok: 1, already_decided: 9 });
    const { status } = await rowOf(ctx, 'requests', { id });
    expect(await badgeOf(agent)).toBe(status === 'approved');
  });
});
