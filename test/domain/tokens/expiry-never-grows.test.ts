/**
 * Tokens do not last longer by moving. Over random bounties, runs and seats, what outlives any instant grows only by
 * grants, and by the grace of seven days if a run failed or a maintainer cancelled.
 */
import { beforeAll, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { inList } from '#db/conditions.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import type { AgentCtx } from '#domain/context.ts';
import { withTransaction } from '#domain/context.ts';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { settleRun } from '#domain/runs/settle-run.ts';
import type { EventRow } from '#domain/events/event-rows.ts';
import { handleSeatCommands } from '#domain/events/handle-seat-commands.ts';
import type { SeatCommand } from '#domain/events/seat-commands.ts';
import { DomainError } from '#domain/errors.ts';
import { grantTokens } from '#domain/tokens/grant-tokens.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import type { MoveTarget } from '#domain/work-orders/state-machine.ts';
import { transitionWorkOrder } from '#domain/work-orders/transition-work-order.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx, type TestCtx } from '#test/harness/ctx.ts';
import { redeem } from '#test/harness/eval-runs.ts';
import { claimTestEvents, createTestEvent } from '#test/harness/events.ts';
import { forEachStore } from '#test/harness/stores.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const graceMs = 7 * dayMs;
const agentCount = 3;

interface Walk {
  readonly agents: readonly TestAgent[];
  /** References of spends that may still be refunded or paid out. */
  readonly open: Set<string>;
  readonly orders: { readonly id: string; readonly proposer: number; readonly isInReview: boolean }[];
  readonly runs: { readonly id: string; readonly redemptionId: string; readonly by: number }[];
  readonly seats: { readonly id: string; readonly event: EventRow; readonly by: number }[];
}

/** What a step may add to the tokens of the walk: until when, and how many. */
interface Added {
  readonly untilMs: number;
  readonly amount: number;
}
type Step = (walk: Walk) => Promise<Added | null>;

forEachStore((store) => {
  let ctx: TestCtx;
  let maintainer: AgentCtx;
  beforeAll(async () => {
    ctx = createTestCtx(store.db);
    const agent = await createTestAgent(ctx);
    ctx.maintainerDids.add(agent.did);
    maintainer = actingAs(ctx, agent);
  });
  const nowMs = (): number => ctx.clock.now().getTime();
  const take = <T>(list: T[], pick: number): T | undefined => list.splice(pick % (list.length || 1), 1)[0];
  const isRefused = (error: unknown): null => {
    if (error instanceof DomainError) return null;
    throw error;
  };

  /** Every token that the walk holds, spendable or in escrow, by the end of its lot. */
  async function tokensByExpiry({ agents, open }: Walk): Promise<ReadonlyMap<number, number>> {
    const { tokenEntries, tokenLots } = ctx.db.tables;
    const ids = agents.map(({ id }) => id);
    const lots = await ctx.db.query
      .select()
      .from(tokenLots)
      .where(inList(ctx.db, tokenLots.agentId, ids));
    const spends = await ctx.db.query.select().from(tokenEntries).where(eq(tokenEntries.kind, 'spend'));
    const escrow = spends.filter(({ reference }) => open.has(reference ?? ''));
    const found = new Map<number, number>();
    const add = (lotId: string, amount: number): void => {
      const until = lots.find(({ id }) => id === lotId)?.expiresAt?.getTime() ?? Infinity;
      found.set(until, (found.get(until) ?? 0) + amount);
    };
    for (const { id, remaining } of lots) add(id, remaining);
    for (const { lots: shares } of escrow) for (const { lotId, amount } of shares) add(lotId, amount);
    return found;
  }

  const outliving = (tokens: ReadonlyMap<number, number>, atMs: number): number =>
    [...tokens].reduce((sum, [untilMs, amount]) => (untilMs > atMs ? sum + amount : sum), 0);

  async function takeStep(walk: Walk, step: Step): Promise<void> {
    const before = await tokensByExpiry(walk);
    const added = await step(walk);
    const after = await tokensByExpiry(walk);
    for (const atMs of new Set([nowMs(), ...before.keys(), ...after.keys()].map((ms) => ms - 1))) {
      if (atMs < nowMs()) continue;
      const extra = added !== null && added.untilMs > atMs ? added.amount : 0;
      expect(outliving(after, atMs)).toBeLessThanOrEqual(outliving(before, atMs) + extra);
    }
  }

  function grant(to: number, amount: number, days: number): Step {
    return async ({ agents }) => {
      const expiresAt = days === 0 ? null : new Date(nowMs() + days * dayMs);
      const { handle } = agents[to]!;
      await grantTokens(maintainer, { handle, amount, reason: 'For a test', expiresAt, reference: null });
      return { untilMs: expiresAt?.getTime() ?? Infinity, amount };
    };
  }

  function propose(proposer: number, bounty: number, isInReview: boolean): Step {
    return async ({ agents, open, orders }) => {
      const as = (place: number) => actingAs(ctx, agents[(proposer + place) % agentCount]!);
      const order = await proposeWorkOrder(as(0), { title: 'x', description: 'x', bounty }).catch(isRefused);
      if (order === null) return null;
      const { id: workOrderId } = order;
      const named = { implementerHandle: as(1).agent.handle, reviewerHandle: as(2).agent.handle };
      const steps: readonly (readonly [MoveTarget, number])[] = [
        ['interrogating', 0],
        ['triaged', 0],
        ['building', 0],
        ['in_review', 1],
      ];
      for (const [to, place] of isInReview ? steps : [])
        await transitionWorkOrder(as(place), { workOrderId, to, note: null, ...named });
      open.add(workOrderId);
      orders.push({ id: workOrderId, proposer, isInReview });
      return null;
    };
  }

  function settle(pick: number, how: 'merged' | 'rejected' | 'rejected by a maintainer'): Step {
    return async ({ agents, open, orders }) => {
      const order = take(orders, pick);
      if (order === undefined) return null;
      const merges = how === 'merged' && order.isInReview;
      const place = merges ? order.proposer + 2 : order.proposer;
      const isMaintainer = how === 'rejected by a maintainer';
      const as = isMaintainer ? maintainer : actingAs(ctx, agents[place % agentCount]!);
      const to = merges ? 'merged' : 'rejected';
      const named = { implementerHandle: null, reviewerHandle: null };
      const { bounty } = await transitionWorkOrder(as, { workOrderId: order.id, to, note: null, ...named });
      open.delete(order.id);
      return isMaintainer ? { untilMs: nowMs() + graceMs, amount: bounty } : null;
    };
  }

  function startRun(by: number): Step {
    return async ({ agents, open, runs }) => {
      const run = await redeem(ctx, agents[by]!.id, null).catch(isRefused);
      if (run === null) return null;
      open.add(run.redemption.id);
      runs.push({ id: run.evalRun.id, redemptionId: run.redemption.id, by });
      return null;
    };
  }

  function endRun(pick: number, isCancelled: boolean): Step {
    return async ({ agents, open, runs }) => {
      const run = take(runs, pick);
      if (run === undefined) return null;
      if (isCancelled) await cancelRun(actingAs(ctx, agents[run.by]!), { runId: run.id });
      else {
        const outcome = { kind: 'failed', code: 'internal', message: 'Our fault.' } as const;
        const claim = { runId: run.id, attempt: 0, from: 'queued', jobId: null } as const;
        await settleRun(ctx, { ...claim, outcome });
      }
      open.delete(run.redemptionId);
      return isCancelled ? null : { untilMs: nowMs() + graceMs, amount: 1 };
    };
  }

  async function command(event: EventRow, sent: SeatCommand) {
    const [done] = await withTransaction(ctx, async (inner) => {
      const [claimed] = await claimTestEvents(inner, [event.id]);
      return handleSeatCommands(inner, [
        { state: claimed!, messages: [{ id: Bun.randomUUIDv7(), command: sent }] },
      ]);
    });
    const [reply] = done!.replies;
    return reply instanceof DomainError ? null : reply!;
  }

  function reserve(by: number, tokenPrice: number): Step {
    return async ({ agents, open, seats }) => {
      const startsAt = new Date(nowMs() + 60 * dayMs);
      const event = await createTestEvent(ctx, { startsAt, tokenPrice });
      const { id: agentId, handle: agentHandle } = agents[by]!;
      const kind = 'reserve-seat';
      const reply = await command(event, { kind, agentId, agentHandle, key: Bun.randomUUIDv7() });
      if (reply === null || !('seat' in reply)) return null;
      open.add(reply.seat.id);
      seats.push({ id: reply.seat.id, event, by });
      return null;
    };
  }

  function cancelSeat(pick: number, isOwn: boolean): Step {
    return async ({ agents, open, seats }) => {
      const seat = take(seats, pick);
      if (seat === undefined) return null;
      const agentId = agents[seat.by]!.id;
      await command(
        seat.event,
        isOwn ? { kind: 'cancel-seat', agentId, key: null } : { kind: 'cancel-event' },
      );
      open.delete(seat.id);
      return isOwn ? null : { untilMs: nowMs() + graceMs, amount: seat.event.tokenPrice };
    };
  }

  function wait(ms: number): Step {
    return async () => {
      ctx.clock.advance(ms);
      return null;
    };
  }

  const one = fc.nat(agentCount - 1);
  const pick = fc.nat(9);
  const ends = fc.constantFrom('merged', 'merged', 'rejected', 'rejected by a maintainer');
  const waits = fc.constantFrom(dayMs / 2, dayMs, 6 * dayMs);
  const steps: fc.Arbitrary<Step> = fc.oneof(
    fc.tuple(one, fc.integer({ min: 1, max: 9 }), fc.nat(9)).map((given) => grant(...given)),
    fc.tuple(one, fc.integer({ min: 1, max: 9 }), fc.boolean()).map((given) => propose(...given)),
    fc.tuple(pick, ends).map((given) => settle(...given)),
    one.map(startRun),
    fc.tuple(pick, fc.boolean()).map((given) => endRun(...given)),
    fc.tuple(one, fc.integer({ min: 1, max: 3 })).map((given) => reserve(...given)),
    fc.tuple(pick, fc.boolean()).map((given) => cancelSeat(...given)),
    waits.map(wait),
  );

  test('no expiry moves later except by the grace for a failed run or a cancelling maintainer', () =>
    fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 10, maxLength: 30 }), async (walked) => {
        const agents = await Promise.all(
          Array.from({ length: agentCount }, () => createTestAgent(ctx, { freeEvalTaken: true })),
        );
        const walk: Walk = { agents, open: new Set(), orders: [], runs: [], seats: [] };
        for (const [to] of agents.entries()) await takeStep(walk, grant(to, 5, 1));
        for (const step of walked) await takeStep(walk, step);
      }),
      { numRuns: Number(process.env['EXPIRY_WALKS'] ?? '15'), endOnFailure: true },
    ));

  test('tokens that a failed run has extended once are not extended again', async () => {
    const agent = await createTestAgent(ctx, { freeEvalTaken: true });
    const walk: Walk = { agents: [agent, agent, agent], open: new Set(), orders: [], runs: [], seats: [] };
    await grant(0, 1, 1)(walk);
    const startMs = nowMs();
    for (let time = 0; time < 5; time += 1) {
      await startRun(0)(walk);
      await endRun(0, false)(walk);
      ctx.clock.advance(dayMs);
    }
    const [until] = (await tokensByExpiry(walk)).keys();
    expect(until).toBeLessThanOrEqual(startMs + graceMs);
  });

  test('afterwards, the audit finds no drift', async () => {
    expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
  });
});
