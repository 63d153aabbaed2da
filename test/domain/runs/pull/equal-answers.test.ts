/** Equal answers at once: one counts, and the others are told so. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { OpenDatabase } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { answerPulled, redeem } from '#test/harness/eval-runs.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { tally } from '../../outcomes.ts';

const atOnce = 10;
const rounds = 30;

forEachStore((store) => {
  let second: OpenDatabase;
  beforeAll(async () => {
    second = await openDatabase(store.setting);
  });
  afterAll(() => second.close());

  test('of ten equal answers to a case in two processes, nine are told that it is answered', async () => {
    const ctx = createTestCtx(store.db);
    const agent = await createTestAgent(ctx, { tokens: 5 });
    const one = actingAs(ctx, agent);
    const processes = [one, { ...one, db: second }];
    const { id: runId } = (await redeem(ctx, agent.id, null)).evalRun;
    for (let round = 0; round < rounds; round += 1) {
      const [fetched] = (await handOutCases(one, { runId, limit: 1 })).cases;
      const answers = [{ caseId: fetched!.caseId, text: 'x' }];
      const calls = Array.from({ length: atOnce }, async (_, place) => {
        // So that some read while another one writes.
        await Bun.sleep(place);
        return answerPulled(processes[place % 2]!, runId, answers);
      });
      expect(await tally(calls)).toEqual({ ok: 1, case_answered: atOnce - 1 });
    }
  });
});
