/** `--resume` continues a run only if it is what the flags ask for. */
import { describe, expect, test } from 'bun:test';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { languages, useEvaluateDoors } from '#test/harness/evaluate-doors.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';

const ids = ['one', 'two', 'three'];
const cases = ids.map((id) => ({ id, prompt: id, expect: [{ equals: id }] }));
const suite = { suite: 1, name: 'resumed', cases };

const { hub, evaluate, runsOf } = useEvaluateDoors({ 'resumed.json': JSON.stringify(suite) });

describe.each(languages)('%s', (door) => {
  const prepare = async () => {
    const agent = await createTestAgent(hub.ctx, { tokens: 50 });
    const as = actingAs(hub.ctx, agent);
    await publishTestSuite(as, { ...suite, cases: cases.slice(1) });
    await publishTestSuite(as, suite);
    const ref = `@${agent.handle}/resumed`;
    const resume = (words: string) =>
      evaluate(door, `--suite-file resumed.json --cmd cat --resume ${words}`.trim(), { as: agent });
    return { agent, as, resume, order: async (order: object) => (await orderSuiteRun(as, ref, order)).id };
  };

  test('it takes up only a run that is what the flags ask for, and says why another is not', async () => {
    const { agent, as, resume, order } = await prepare();
    const refused = [
      [{ version: 1 }, '', 'is of version 1'],
      [{ label: 'main' }, '', 'has the label main'],
      [{}, '--label new', 'has no label'],
      [{ trials: 2 }, '', 'asks each case 2 times'],
      [{}, '--trials 2', 'asks each case once'],
      [{ only: 'two' }, '', 'asks 1 of 3 cases'],
      [{}, '--limit 1', 'asks all cases'],
    ] as const;
    for (const [ordered, words, why] of refused) {
      const id = await order(ordered);
      const { complaints, exitCode } = await resume(words);
      expect(complaints).toContain(
        `Run ${id} is open, but ${why}, unlike the run that the flags ask for, so a new run starts.\n`,
      );
      expect(exitCode).toBe(0);
      expect((await runsOf(agent)).slice(0, 2)).toMatchObject([
        { status: 'completed' },
        { id, status: 'queued' },
      ]);
      await cancelRun(as, { runId: id });
    }
    const same = await order({ label: 'main', trials: 2 });
    await order({ trials: 2 });
    const { complaints } = await resume('--label main --trials 2');
    expect(complaints).toContain(`Run ${same} of @${agent.handle}/resumed goes on after 0 of 6.\n`);
  });

  test('with an id, it refuses a run of another version, and one that contradicts a flag', async () => {
    const { agent, resume, order } = await prepare();
    const older = await order({ version: 1 });
    const part = await order({ label: 'main', trials: 2, only: 'one' });
    const refused = [
      [older, '', 'is of version 1'],
      [part, '--label new', 'has the label main'],
      [part, '--trials 1', 'asks each case 2 times'],
    ] as const;
    for (const [id, words, why] of refused) {
      const { complaints, exitCode } = await resume(`${id} ${words}`.trim());
      expect(complaints).toContain(
        `error: The run ${id} of --resume ${why}. Give the flags and the suite with which it was started.\n`,
      );
      expect(exitCode).toBe(3);
    }
    expect((await resume(part)).exitCode).toBe(0);
    expect(await runsOf(agent)).toMatchObject([
      { id: part, status: 'completed', score: 100 },
      { id: older, status: 'queued' },
    ]);
  });
});
