/**
 * Random histories of grants, spends, refunds, free runs, passing time and sweeps give the ledger that the
 * rules require.
 */
import { test } from 'bun:test';
import fc from 'fast-check';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestClock } from '#test/harness/clock.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { agentCount, steps } from './ledger-commands.ts';
import { LedgerModel } from './ledger-model.ts';

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
