/** Equal answers at once: one counts, and all get the same response. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { OpenDatabase } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { answerPulled, redeem } from '#test/harness/eval-runs.ts';
import { forEachStore } from '#test/harness/stores.ts';

const atOnce = 10;
const rounds = 30;

forEachStore((store) => {
  let second: OpenDatabase;
  beforeAll(async () => {
    second = await openDatabase(store.setting);
  });
  afterAll(() => second.close());

  test('ten equal answers to a case in two processes get one response, and another answer is refused', async () => {
    const ctx = createTestCtx(store.db);
    const agent = await createTestAgent(ctx, { tokens: 5 });
    const one = actingAs(ctx, agent);
    const processes = [one, { ...one, db: second }];
    const { id: runId } = (await redeem(ctx, agent.id, null)).evalRun;
    for (let round = 0; round < rounds; round += 1) {
      const [fetched] = (await handOutCases(one, { runId, limit: 1 })).cases;
      const { caseId, step } = fetched!;
      const answers = [{ caseId, step, text: 'x' }];
      const calls = Array.from({ length: atOnce }, async (_, place) => {
        // So that some read while another one writes.
        await Bun.sleep(place);
        return answerPulled(processes[place % 2]!, runId, answers);
      });
      const cases = (await Promise.all(calls)).map((one) => one.cases);
      expect(cases).toEqual(cases.map(() => cases[0]!));
      const other = answerPulled(one, runId, [{ caseId, step, text: 'y' }]);
      expect(other).rejects.toMatchObject({ code: cases[0]![0]!.done ? 'case_answered' : 'wrong_step' });
    }
  });
});
