/**
 * Random histories of grants, spends, refunds, free runs, passing time and sweeps give the ledger that the
 * rules require.
 */
import { test, expect } from 'bun:test';
import fc from 'fast-check';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestClock } from '#test/harness/clock.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { agentCount, steps } from './ledger-commands.ts';
import { LedgerModel } from './ledger-model.ts';
import type { Ctx } from '#domain/context.ts';
import type { LedgerEntry } from '#domain/tokens/ledger.ts';
import { settleExpiries } from '#domain/tokens/settle-expiries.ts';
import { systemClock } from '#runtime/clock.ts';
import { openTwoProcesses } from '../two-processes.ts';
import { expectSoundLedger } from './expect-sound-ledger.ts';
import { inLedger } from './moves.ts';

const start = new Date('2026-05-01T12:00:00.000Z');

/** A failure prints seed and path. Put them here, and `replayPath` into `fc.commands`, to reproduce it. */
const replay: fc.Parameters<unknown> = {};

forEachStore((store) => {
  test('after every step of any history the ledger equals the model and keeps its invariants', async () => {
    const histories = fc.commands(steps, { maxCommands: 30, size: '+1' });
    await fc.assert(
      fc.asyncProperty(histories, (history) =>
        fc.asyncModelRun(async () => {
          const ctx = createTestCtx(store.db, createTestClock(start));
          const agents = [];
          for (let agent = 0; agent < agentCount; agent += 1) agents.push(await createTestAgent(ctx));
          const maintainer = await createTestAgent(ctx);
          ctx.maintainerDids.add(maintainer.did);
          return {
            model: new LedgerModel(agentCount, start.getTime()),
            real: { ctx, agents, maintainer: actingAs(ctx, maintainer) },
          };
        }, history),
      ),
      { numRuns: 30, ...replay },
    );
  });
});

/** Random moves of each worker, one after the other. */
const rounds = 30;
/** Of both processes together. */
const workers = 12;

const draw = (max: number): number => 1 + Math.floor(Math.random() * max);

/** Concurrent moves of the same accounts from two processes end in exact sums and without errors. */
forEachStore((store) => {
  const race = openTwoProcesses(store);

  test.each([
    ['a single contended agent', 1],
    ['a handful of agents, several per transaction in any order', 8],
  ])('over %s', async (_, agents) => {
    const ctx = createTestCtx(store.db);
    const agentIds: string[] = [];
    for (let agent = 0; agent < agents; agent += 1)
      agentIds.push((await createTestAgent(ctx, { tokens: 10 })).id);
    const expected = new Map(agentIds.map((id) => [id, 10]));
    const open: LedgerEntry[] = [];
    const moves = { spend: 0, refund: 0 };
    const note = (entries: readonly LedgerEntry[]): void => {
      for (const { agentId, amount, kind } of entries) {
        expected.set(agentId, expected.get(agentId)! + amount);
        if (kind === 'spend' || kind === 'refund') moves[kind] += 1;
      }
    };

    /** Small amounts and short lifetimes, drawn again when the transaction is retried. */
    async function grantAndSpend(at: Ctx): Promise<void> {
      const drawn = Array.from({ length: 3 }, () => agentIds[draw(agents) - 1]!);
      const made = await inLedger(at, { agentIds: drawn }, (ledger) =>
        drawn.flatMap((agentId) => {
          const move = { agentId, amount: draw(6), reason: 'churn' };
          if (Math.random() < 0.5) {
            const expiresAt = Math.random() < 0.3 ? new Date(ledger.now.getTime() + draw(300)) : null;
            return ledger.grant({ ...move, reference: null, expiresAt });
          }
          if (ledger.account(agentId).balance < move.amount) return [];
          return ledger.spend({ ...move, reference: Bun.randomUUIDv7() });
        }),
      );
      note(made);
      open.push(...made.filter(({ kind }) => kind === 'spend'));
    }
    async function refundSome(at: Ctx): Promise<void> {
      const spends = open.splice(0, draw(3));
      if (spends.length === 0) return;
      const opening = { agentIds: spends.map(({ agentId }) => agentId), spends };
      const refund = (spend: LedgerEntry) => ({ spend, reason: 'churn', hasGrace: Math.random() < 0.5 });
      note(await inLedger(at, opening, (ledger) => spends.map((spend) => ledger.refund(refund(spend)))));
    }
    await Promise.all(
      race(ctx, workers, async (process) => {
        const at = { ...process, clock: systemClock };
        for (let round = 0; round < rounds; round += 1) {
          const drawn = Math.random();
          if (drawn < 0.6) await grantAndSpend(at);
          else if (drawn < 0.9) await refundSome(at);
          else await settleExpiries(at);
        }
      }),
    );

    ctx.clock.set(new Date(Date.now() + 1_000));
    while ((await settleExpiries(ctx)) > 0);
    const stored: LedgerEntry[] = [];
    for (const agentId of agentIds) {
      const { account, entries } = await expectSoundLedger(store.db, agentId);
      const expired = entries.filter(({ kind }) => kind === 'expiry');
      expect(account.balance).toBe(expired.reduce((sum, { amount }) => sum + amount, expected.get(agentId)!));
      stored.push(...entries);
    }
    const countOf = (kind: LedgerEntry['kind']) => stored.filter((entry) => entry.kind === kind).length;
    expect({ spend: countOf('spend'), refund: countOf('refund') }).toEqual(moves);
    expect(moves.refund).toBeGreaterThan(0);
  });
});
