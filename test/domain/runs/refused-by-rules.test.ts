/** A reply that a grader refuses is failed, though other graders have no verdict: judges that are still to come, a cost. */
import { expect, test } from 'bun:test';
import { nextJudgements } from '#domain/runs/judging/next-judgements.ts';
import { overruleCase, showAgreement } from '#domain/runs/judging/overrule-case.ts';
import { recordJudgements } from '#domain/runs/judging/record-judgements.ts';
import { reportRun } from '#domain/runs/report-run.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { exportJunit } from '#evals/export/junit.ts';
import { writeText } from '#evals/report/text.ts';
import { whole } from '#test/evals/export/exported-runs.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { playSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { expectNoDrift } from '../outcomes.ts';

const judges = { tone: { rubric: 'Polite.', votes: 3, pass_at: 2 } };
const polite = {
  id: 'polite',
  prompt: 'Say hello.',
  expect: [
    { judge: 'tone', weight: 3, metric: 'tone' },
    { contains: 'hello', metric: 'words' },
  ],
};
const rude = { id: 'rude', prompt: 'Say hello.', expect: [{ judge: 'tone', not: true, metric: 'tone' }] };
const pass = 'It is kind.\nVERDICT: PASS';

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const as = useAgentCtx(ctx, { tokens: 50 });
  const ada = as.agent;

  async function play(name: string, more: object, texts: Readonly<Record<string, string>>): Promise<string> {
    await publishTestSuite(as, { suite: 1, name, ...more });
    return playSuiteRun(as, `@${ada.handle}/${name}`, (caseId) => ({ text: texts[caseId] ?? 'hello' }));
  }
  const judged = (name: string) => play(name, { judges, cases: [polite, rude] }, { polite: 'bye' });
  const trialsOf = async (runId: string) => {
    const { cases } = await showOwnRun(as, { runId, withCases: true });
    return (cases ?? []).flatMap(({ trials }) => trials);
  };

  test('a wrong reply without a cost falls short of the bar, and so does one that only lacks the cost', async () => {
    const bounded = (id: string) => ({ id, prompt: id, expect: [{ cost_usd: 0.01 }, { contains: 'one' }] });
    const plain = Array.from({ length: 10 }, (_, at) => ({
      id: `plain-${at}`,
      prompt: 'Say hello.',
      expect: [{ equals: 'hello' }],
    }));
    const cases = [bounded('wrong'), bounded('right'), ...plain];
    const runId = await play('bounded', { cases }, { wrong: 'zzz', right: 'one' });
    const report = await reportRun(as, { runId, baseline: null, minPass: 1 });
    expect(report.summary.verdicts).toMatchObject({ passed: 10, failed: 1, ungraded: 1 });
    expect([report.outcome, report.bars]).toMatchObject(['fell_short', [{ held: false }]]);
    expect((await trialsOf(runId))[0]?.graders).toMatchObject([
      { name: 'cost_usd', passed: null },
      { name: 'contains', passed: false },
    ]);
    const junit = await whole(exportJunit(report.run));
    expect(junit).toContain('failures="1" errors="1"');
    expect(junit).toContain('contains failed.&#10;expected: contains: &#34;one&#34;');
    expect(junit).not.toContain('cost_usd failed');
  });

  test('a case that a rule has failed is failed before its judge is heard, and stays so whatever the judge says', async () => {
    const runId = await judged('by-rule');
    const figures = async () => {
      const { result } = await showOwnRun(as, { runId });
      const statuses = (await trialsOf(runId)).map(({ status }) => status);
      return [statuses, result?.errors, result?.judged?.open, result?.metrics?.['tone']];
    };
    // A trial in error counts as failed in a metric, a grader without a verdict not at all.
    const before = { value: 0, passed: 0, graded: 1 };
    expect(await figures()).toEqual([['failed', 'error'], 1, 2, before]);
    const report = await reportRun(as, { runId, baseline: null });
    expect(await whole(writeText(report))).toContain(
      'polite: expected contains: "hello", found contains: none of it',
    );
    const { tasks } = await nextJudgements(as, { runId, limit: 8 });
    expect(tasks.map(({ caseId }) => caseId)).toEqual(['polite', 'rude']);
    const judgements = [{ id: '0.0', replies: [pass, pass, pass] }];
    const recorded = await recordJudgements(as, { runId, model: 'm', judgements });
    expect(recorded).toMatchObject({ judged: 1, remaining: 1 });
    expect(await figures()).toEqual([['failed', 'error'], 1, 1, { value: 0.5, passed: 1, graded: 2 }]);
    expect((await trialsOf(runId))[0]).toMatchObject({
      score: 0.75,
      error_code: null,
      graders: [{ passed: true }, { passed: false }],
    });
    await expectNoDrift(ctx);
  });

  test('such a case stays failed without its judge, and its owner can overrule the rule', async () => {
    const runId = await judged('unread');
    const judgements = [{ id: '0.0', error: 'status 500' }];
    for (const remaining of [2, 2, 1])
      expect(await recordJudgements(as, { runId, model: 'm', judgements })).toMatchObject({ remaining });
    const [trial] = await trialsOf(runId);
    expect(trial).toMatchObject({ status: 'failed', error_code: null });
    expect(trial).not.toHaveProperty('error_message');
    const other = await judged('overruled');
    const decision = { runId: other, caseId: 'polite', trial: 1, passed: true, reason: 'I have read it.' };
    const overruled = await overruleCase(as, decision);
    expect([overruled.trial.review?.was, overruled.result.judged?.open]).toEqual(['failed', 1]);
    expect((await nextJudgements(as, { runId: other, limit: 8 })).remaining).toBe(1);
    expect((await showAgreement(as, { runId: other })).rules).toMatchObject({ reviewed: 1, too_strict: 1 });
  });
});
