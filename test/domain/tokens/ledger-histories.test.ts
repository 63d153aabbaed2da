/**
 * Random histories of grants, spends, refunds, free runs, passing time and sweeps give the ledger that the
 * rules require.
 */
import { test, expect } from 'bun:test';
import fc from 'fast-check';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestClock } from '#test/harness/clock.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { forEachStore, type TestStore } from '#test/harness/stores.ts';
import { agentCount, steps } from './ledger-commands.ts';
import { LedgerModel } from './ledger-model.ts';
import { join } from 'node:path';
import { settleExpiries } from '#domain/tokens/settle-expiries.ts';
import { runTask } from '#test/harness/run-task.ts';
import { type Churn, type ChurnOutcome } from './churn-ledger.ts';
import { expectSoundLedger } from './expect-sound-ledger.ts';

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

/** Concurrent moves of the same accounts from several processes end in exact sums and without errors. */
const churnLedger = join(import.meta.dirname, 'churn-ledger.ts');

const processCount = 2;
const loadMs = 700;

async function churnAndCheck(store: TestStore, agentCount: number): Promise<void> {
  const ctx = createTestCtx(store.db);
  const agentIds: string[] = [];
  for (let agent = 0; agent < agentCount; agent += 1) {
    agentIds.push((await createTestAgent(ctx, { tokens: 10 })).id);
  }
  const startAtMs = Date.now() + loadMs;
  const churn: Churn = { setting: store.setting, agentIds, rounds: 30, atOnce: 6, startAtMs };
  const outcomes = await Promise.all(
    Array.from({ length: processCount }, () => runTask<ChurnOutcome>(churnLedger, churn)),
  );
  expect(outcomes.flatMap(({ faults }) => faults)).toEqual([]);

  ctx.clock.set(new Date(Date.now() + 1_000));
  while ((await settleExpiries(ctx)) > 0);
  let [spends, refunds] = [0, 0];
  for (const agentId of agentIds) {
    const { account, entries } = await expectSoundLedger(store.db, agentId);
    const expired = entries
      .filter((entry) => entry.kind === 'expiry')
      .reduce((sum, entry) => sum + entry.amount, 0);
    const moved = outcomes.reduce((sum, { change }) => sum + change[agentId]!, 0);
    expect(account.balance).toBe(10 + moved + expired);
    spends += entries.filter((entry) => entry.kind === 'spend').length;
    refunds += entries.filter((entry) => entry.kind === 'refund').length;
  }
  expect(spends).toBe(outcomes.reduce((sum, outcome) => sum + outcome.spends, 0));
  expect(refunds).toBe(outcomes.reduce((sum, outcome) => sum + outcome.refunds, 0));
  expect(refunds).toBeGreaterThan(0);
}

forEachStore((store) => {
  test('over a single contended agent', () => churnAndCheck(store, 1));
  test('over a handful of agents, several per transaction in any order', () => churnAndCheck(store, 8));
});
