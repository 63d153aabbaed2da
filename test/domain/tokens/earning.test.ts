/**
 * Random walks over everything that moves tokens between agents: grants, runs, bounties, merges, rejections,
 * closed accounts and expiries. The balances always match a model, and no token is created or lost.
 */
import { beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { closeAccount, expireClosedBalances, startClosing } from '#domain/account/close-account.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { settleRun } from '#domain/runs/settle-run.ts';
import { grantTokens } from '#domain/tokens/grant-tokens.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import type { MoveTarget } from '#domain/work-orders/state-machine.ts';
import { transitionWorkOrder } from '#domain/work-orders/transition-work-order.ts';
import { type SignedUpAgent, signUp } from '#test/domain/agents/sign-up.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf, tally } from '../outcomes.ts';
import { openTwoProcesses } from '../two-processes.ts';
import { sumByExpiry } from './expect-ledgers-equal.ts';
import { LedgerModel, type ModelLot, type ModelSpend } from './ledger-model.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const agentCount = 4;
const tokensAtFirst = 20;
const openRunsMax = 5;
const proposalsADay = 5;

interface Order {
  readonly id: string;
  readonly bounty: number;
  /** Null without a bounty. */
  readonly spend: ModelSpend | null;
  /** Indexes of agents. */
  readonly proposer: number;
  readonly implementer: number;
  readonly reviewer: number;
  readonly isInReview: boolean;
}

/** One walk: new agents, their orders, and the model of their tokens. */
interface Walk {
  readonly agents: readonly SignedUpAgent[];
  readonly model: LedgerModel;
  readonly orders: Order[];
  readonly proposedAtMs: { readonly by: number; readonly atMs: number }[];
  readonly runs: { readonly id: string; readonly by: number; readonly spend: ModelSpend | null }[];
  /** Only one account closes, so that somebody is left to be paid. */
  closed: number | null;
}

type Step = (walk: Walk) => Promise<void>;

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let ctx: TestCtx;
  let maintainer: TestAgent;
  let names = 0;
  beforeAll(async () => {
    ctx = createTestCtx(store.db);
    maintainer = await createTestAgent(ctx);
    ctx.maintainerDids.add(maintainer.did);
  });

  const nowMs = (): number => ctx.clock.now().getTime();

  async function startWalk(): Promise<Walk> {
    const agents: SignedUpAgent[] = [];
    for (; agents.length < agentCount; names += 1) agents.push(await signUp(ctx, `earner-${names}`));
    const model = new LedgerModel(agentCount, nowMs());
    const walk = { agents, model, orders: [], proposedAtMs: [], runs: [], closed: null };
    for (let to = 0; to < agentCount; to += 1) await grant(to, tokensAtFirst, false)(walk);
    return walk;
  }

  async function expectBalances({ agents, model }: Walk): Promise<void> {
    const ids = agents.map(({ agent }) => agent.id);
    const balances = await readBalances(ctx.db, ids, ctx.clock.now());
    expect(ids.map((id) => balances.get(id)?.balance)).toEqual(ids.map((_, index) => model.balance(index)));
    for (const [index, id] of ids.entries()) {
      const lots = await liveLots(id);
      expect(sumByExpiry(lots)).toEqual(sumByExpiry(model.live(index)));
    }
  }

  /** Without those that have ended, whether settled or not. */
  async function liveLots(agentId: string): Promise<ModelLot[]> {
    const { tokenLots } = ctx.db.tables;
    const lots = await ctx.db.query.select().from(tokenLots).where(eq(tokenLots.agentId, agentId));
    return lots
      .map((lot) => ({ ...lot, expiresAtMs: lot.expiresAt?.getTime() ?? null }))
      .filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > nowMs());
  }

  function grant(to: number, amount: number, expires: boolean): Step {
    return async ({ agents, model, closed }) => {
      if (to === closed) return;
      const expiresAt = expires ? new Date(nowMs() + dayMs) : null;
      const { handle } = agents[to]!.agent;
      const input = { handle, amount, reason: 'For a test', expiresAt, reference: null };
      await grantTokens(actingAs(ctx, maintainer), input);
      model.settle(to);
      model.grant(to, amount, expiresAt?.getTime() ?? null, null);
    };
  }

  function startRun(by: number): Step {
    return async ({ agents, model, runs, closed }) => {
      if (by === closed || runs.filter((run) => run.by === by).length === openRunsMax) return;
      const redeemed = redeem(ctx, agents[by]!.agent.id, 'http://127.0.0.1:9/');
      model.settle(by);
      const account = model.account(by);
      if (account.freeRunHolder === null) {
        const { redemption, evalRun } = await redeemed;
        account.freeRunHolder = redemption.id;
        runs.push({ id: evalRun.id, by, spend: null });
      } else if (model.spend(by, 1, '')) {
        runs.push({ id: (await redeemed).evalRun.id, by, spend: model.spends.at(-1)! });
      } else expect(await codeOf(redeemed)).toBe('insufficient_tokens');
    };
  }

  /** Proposes an order, and may bring it into review. */
  function propose(proposer: number, bounty: number, isInReview: boolean): Step {
    return async ({ agents, model, orders, proposedAtMs, closed }) => {
      const roles = [0, 1, 2].map((place) => (proposer + place) % agentCount);
      const [, implementer, reviewer] = roles as [number, number, number];
      if (closed !== null && roles.includes(closed)) return;
      const as = (index: number) => ({ ...ctx, agent: agents[index]!.ctx.agent });
      const proposed = proposeWorkOrder(as(proposer), { title: 'x', description: 'x', bounty });
      const recent = proposedAtMs.filter(({ by, atMs }) => by === proposer && atMs > nowMs() - dayMs);
      if (recent.length === proposalsADay) {
        expect(await codeOf(proposed)).toBe('proposal_rate_limited');
        return;
      }
      model.settle(proposer);
      if (bounty > 0 && !model.spend(proposer, bounty, '')) {
        expect(await codeOf(proposed)).toBe('insufficient_tokens');
        return;
      }
      const { id } = await proposed;
      proposedAtMs.push({ by: proposer, atMs: nowMs() });
      const spend = bounty > 0 ? model.spends.at(-1)! : null;
      orders.push({ id, bounty, spend, proposer, implementer, reviewer, isInReview });
      if (!isInReview) return;
      const named = {
        implementerHandle: agents[implementer]!.agent.handle,
        reviewerHandle: agents[reviewer]!.agent.handle,
      };
      const moveTo = (to: MoveTarget, index: number) =>
        transitionWorkOrder(as(index), { workOrderId: id, to, note: null, ...named });
      await moveTo('interrogating', proposer);
      await moveTo('triaged', proposer);
      await moveTo('building', proposer);
      await moveTo('in_review', implementer);
    };
  }

  /** The agent cancels a run, or the hub fails it. */
  function endRun(pick: number, isOwn: boolean): Step {
    return async ({ agents, model, runs, closed }) => {
      const run = runs[pick % Math.max(1, runs.length)];
      if (run === undefined || run.by === closed) return;
      runs.splice(runs.indexOf(run), 1);
      if (isOwn) {
        await cancelRun(agents[run.by]!.ctx, { runId: run.id });
      } else {
        const outcome = { kind: 'failed', code: 'internal', message: 'Our fault.' } as const;
        const claim = { runId: run.id, attempt: 0, from: 'queued', jobId: null } as const;
        expect(await settleRun(ctx, { ...claim, outcome })).toBe(true);
      }
      model.settle(run.by);
      if (run.spend === null) model.account(run.by).freeRunHolder = null;
      else model.refund(run.spend, !isOwn);
    };
  }

  /** The reviewer merges, and a maintainer or the proposer rejects at once, through two processes. */
  function settle(pick: number, merges: number, rejects: number, isOwn: boolean): Step {
    return async ({ agents, model, orders, closed }) => {
      const order = orders[pick % Math.max(1, orders.length)];
      if (order === undefined) return;
      const canMerge = order.isInReview && order.reviewer !== closed;
      const asked = canMerge ? merges : 0;
      const hasOwner = isOwn && order.proposer !== closed;
      const rejecting = hasOwner ? agents[order.proposer]!.ctx.agent : maintainer;
      if (asked + rejects === 0) return;
      const calls = race(ctx, asked + rejects, (at, index) =>
        transitionWorkOrder(
          { ...at, agent: index < asked ? agents[order.reviewer]!.ctx.agent : rejecting },
          {
            workOrderId: order.id,
            to: index < asked ? 'merged' : 'rejected',
            note: null,
            implementerHandle: null,
            reviewerHandle: null,
          },
        ),
      );
      const others = calls.length === 1 ? {} : { invalid_transition: calls.length - 1 };
      expect(await tally(calls)).toEqual({ ok: 1, ...others });
      orders.splice(orders.indexOf(order), 1);
      if (order.spend === null) return;
      const { status } = await Promise.any(calls);
      if (status === 'rejected') {
        model.settle(order.proposer);
        return model.refund(order.spend, !hasOwner);
      }
      const ofReviewer = order.bounty - Math.ceil((order.bounty * 8) / 10);
      const shares = [
        { to: order.implementer, amount: order.bounty - ofReviewer },
        { to: order.reviewer, amount: ofReviewer },
      ];
      const payments = shares
        .filter(({ amount }) => amount > 0)
        .map(({ to, amount }) => ({ to: to === closed ? order.proposer : to, amount }));
      for (const { to } of payments) model.settle(to);
      model.pay(order.spend, payments);
    };
  }

  /** Refunds open runs and proposals without an implementer, then writes off the rest. */
  function close(leaver: number): Step {
    return async (walk) => {
      if (walk.closed !== null) return;
      const { agents, model, orders, runs } = walk;
      const { ctx: own, key } = agents[leaver]!;
      const as = { ...own, clock: ctx.clock };
      const { challenge } = await startClosing(as);
      await closeAccount(as, key.sign(challenge.challenge));
      walk.closed = leaver;
      for (const { by, spend } of runs) if (by === leaver && spend !== null) model.refund(spend, false);
      for (const order of orders.splice(0)) {
        const isLeft = order.proposer === leaver && !order.isInReview && order.spend !== null;
        if (isLeft) model.refund(order.spend, false);
        else orders.push(order);
      }
      writeOff(model, leaver);
    };
  }

  function writeOff(model: LedgerModel, agent: number): void {
    for (const lot of model.account(agent).lots) lot.remaining = 0;
  }

  /** Lots expire, and the sweeper writes off what has reached a closed account since. */
  const waitADay: Step = async ({ model, closed }) => {
    ctx.clock.advance(dayMs);
    model.nowMs = nowMs();
    await expireClosedBalances(ctx);
    if (closed !== null) writeOff(model, closed);
  };

  const one = fc.nat(agentCount - 1);
  const proposals = fc
    .tuple(one, fc.integer({ min: 0, max: 25 }), fc.boolean())
    .map((given) => propose(...given));
  const settlements = fc
    .tuple(fc.nat(9), fc.nat(2), fc.nat(2), fc.boolean())
    .map((given) => settle(...given));
  const steps: fc.Arbitrary<Step> = fc.oneof(
    fc.tuple(one, fc.integer({ min: 1, max: 30 }), fc.boolean()).map((given) => grant(...given)),
    one.map(startRun),
    { weight: 3, arbitrary: proposals },
    { weight: 3, arbitrary: settlements },
    fc.tuple(fc.nat(9), fc.boolean()).map((given) => endRun(...given)),
    one.map(close),
    fc.constant(waitADay),
  );

  test('balances follow the model over grants, runs, bounties, races, closed accounts and expiries', () =>
    fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 8, maxLength: 25 }), async (walked) => {
        const walk = await startWalk();
        for (const step of walked) {
          await step(walk);
          await expectBalances(walk);
        }
      }),
      { numRuns: Number(process.env['EARNING_WALKS'] ?? '8'), endOnFailure: true },
    ));

  test('a maintainer cannot block a merge with a grant that uses the work order as its reference', async () => {
    const walk = await startWalk();
    await propose(0, 5, true)(walk);
    const handle = walk.agents[3]!.agent.handle;
    const blocking = { handle, amount: 5, reason: 'x', expiresAt: null, reference: walk.orders[0]!.id };
    await grantTokens(actingAs(ctx, maintainer), blocking);
    walk.model.grant(3, 5, null, null);
    await settle(0, 1, 0, false)(walk);
    await expectBalances(walk);
    expect([0, 1, 2, 3].map((agent) => walk.model.balance(agent))).toEqual([15, 24, 21, 25]);
  });

  test('afterwards, the audit finds no drift', async () => {
    expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
    const { tokenEntries, workOrders } = ctx.db.tables;
    const entries = await ctx.db.query.select().from(tokenEntries);
    const paid = entries.filter(({ source }) => source === 'implementer' || source === 'reviewer');
    expect(paid.length).toBeGreaterThan(0);
    const merged = await ctx.db.query.select().from(workOrders).where(eq(workOrders.status, 'merged'));
    expect(paid.reduce((sum, { amount }) => sum + amount, 0)).toBe(
      merged.reduce((sum, { bounty }) => sum + bounty, 0),
    );
    for (const { reference } of paid) expect(merged.some(({ id }) => id === reference)).toBe(true);
  });
});
