/** What is told of a run while replies wait for judges of the runner, where rules refuse them, and after later verdicts. */
import { expect, test } from 'bun:test';
import { nextJudgements } from '#domain/runs/judging/next-judgements.ts';
import { overruleCase, showAgreement } from '#domain/runs/judging/overrule-case.ts';
import { type Judgement, recordJudgements } from '#domain/runs/judging/record-judgements.ts';
import { reportRun } from '#domain/runs/report-run.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { exportJunit } from '#evals/export/junit.ts';
import { writeHtml } from '#evals/report/html.ts';
import { writeText } from '#evals/report/text.ts';
import { notificationText } from '#site/parts/notification-text.tsx';
import { whole } from '#test/evals/export/exported-runs.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { changeRows, rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { playSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { expectNoDrift } from '../outcomes.ts';

const judges = { tone: { rubric: 'Polite.' } };
const [pass, fail] = ['It is kind.\nVERDICT: PASS', 'It is curt.\nVERDICT: FAIL'];
const judged = (id: string, ...more: readonly object[]) => ({
  id,
  prompt: `Say ${id}.`,
  expect: [{ judge: 'tone', metric: 'tone' }, ...more],
});

const byRule = { id: 'd', prompt: 'd', expect: [{ equals: 'hello' }] };

forEachStore((store) => {
  const ctx = useTestCtx(store);
  const as = useAgentCtx(ctx, { tokens: 50 });

  async function play(
    name: string,
    cases: readonly object[],
    reply: Parameters<typeof playSuiteRun>[2] = 'hello',
  ): Promise<string> {
    await publishTestSuite(as, { suite: 1, name, judges, cases });
    return playSuiteRun(as, `@${as.agent.handle}/${name}`, reply);
  }
  const record = (runId: string, ...judgements: readonly Judgement[]) =>
    recordJudgements(as, { runId, model: 'm', judgements });
  const trialsOf = async (runId: string) => {
    const { cases } = await showOwnRun(as, { runId, withCases: true });
    return (cases ?? []).flatMap(({ trials }) => trials);
  };
  /** A rule refuses the first reply, whatever its judge says. */
  const playRefused = (name: string) =>
    play(name, [judged('polite', { contains: 'hello' }), judged('rude')], (id) => ({
      text: id === 'polite' ? 'bye' : 'hello',
    }));

  test('the notice of a run says how many replies waited for judges when it completed, in words that stay true', async () => {
    const noticeOf = async (name: string, cases: readonly object[]) => {
      const runId = await play(name, cases);
      const rows = await rowsOf(ctx, 'notifications', { agentId: as.agent.id });
      const found = rows.find(({ data }) => data['run_id'] === runId);
      return [found?.data['unjudged'], found && notificationText({ ...found, title: null })];
    };
    expect(await noticeOf('noticed', [judged('a'), judged('b'), byRule])).toEqual([
      2,
      'Your run is completed: 2 replies waited for judges',
    ]);
    expect(await noticeOf('noticed-rules', [byRule])).toEqual([
      undefined,
      'Your run is completed: 100.0 of 100',
    ]);
  });

  test('no judge is asked about a reply of which a part is not stored, and the case has not passed', async () => {
    const call = (body: string) => ({
      text: 'sent',
      toolCalls: [{ id: 'c', name: 'send', arguments: { body } }],
    });
    const replies: Readonly<Record<string, { text: string }>> = {
      longest: { text: 'x'.repeat(16_000) },
      emoji: { text: '😀'.repeat(9_000) },
      longer: { text: 'x'.repeat(16_001) },
      call: call('x'.repeat(15_000)),
      'long-call': call('x'.repeat(16_000)),
      failed: { text: 'x'.repeat(16_001) },
    };
    const cases = Object.keys(replies)
      .map((id) => judged(id, ...(id === 'failed' ? [{ contains: 'FORBIDDEN' }] : [])))
      .map((one) => ({ ...one, tools: [{ name: 'send' }] }));
    const runId = await play('long', cases, (id) => replies[id] ?? { text: '' });
    const { tasks, remaining } = await nextJudgements(as, { runId, limit: 8 });
    expect([tasks.map(({ caseId }) => caseId), remaining]).toEqual([['longest', 'emoji', 'call'], 3]);
    const { cases: shown } = await showOwnRun(as, { runId, withCases: true });
    const { error_message: why } = shown?.find(({ case_id: id }) => id === 'longer')?.trials[0] ?? {};
    expect(why).toBe(
      'Judges read 16000 characters of each text and of the arguments of each call, and the reply has more.',
    );
    expect(shown?.map(({ trials: [trial] }) => trial?.status)).toEqual([
      ...Array.from({ length: 5 }, () => 'error' as const),
      'failed',
    ]);
    expect(await record(runId, { id: '2.0', replies: [pass] })).toMatchObject({ judged: 0 });
  });

  test('a judge reads each message and reply of a conversation, all of them as far as the last', async () => {
    const suiteCase = { id: 'turns', turns: ['Hi.', 'And?'], expect: [{ judge: 'tone' }] };
    const runId = await play('long-turns', [suiteCase], () => ({ text: 'x'.repeat(16_000) }));
    const { tasks } = await nextJudgements(as, { runId, limit: 8 });
    expect(tasks.length).toBe(1);
    expect(JSON.stringify(tasks[0]?.ask)).toMatch(/Hi\.[^x]*x{16000}[^x]*And\?[^x]*x{16000}[^x]/);
  });

  test('the latency of a run has that of replies that wait for judges', async () => {
    const runId = await play('latency', [judged('a'), judged('b'), judged('c'), byRule], (id) =>
      id === 'c' ? { error: 'down' } : { text: 'hello', latencyMs: id === 'd' ? 10 : 9_000 },
    );
    const { run, result } = await showOwnRun(as, { runId });
    expect(run.latency).toEqual({ p50_ms: 9_000, p90_ms: 9_000, max_ms: 9_000 });
    expect(result?.latency).toEqual({ p50_ms: 9_000, p90_ms: 9_000 });
  });

  test('a metric of judges appears with their verdicts, though rules have failed every reply', async () => {
    const runId = await play('metric', [judged('a', { equals: 'nothing' })]);
    const metrics = async () => (await showOwnRun(as, { runId })).result?.metrics;
    expect(await metrics()).toBeUndefined();
    await record(runId, { id: '0.0', error: 'status 500' });
    expect(await metrics()).toBeUndefined();
    await record(runId, { id: '0.0', replies: [pass] });
    expect(await metrics()).toEqual({ tone: { value: 1, passed: 1, graded: 1 } });
  });

  test('a reply that no judge could judge is called neither missing nor still to be asked about', async () => {
    const runId = await play('given-up', [judged('a'), judged('b')]);
    const texts = async () => {
      const report = await reportRun(as, { runId, baseline: null });
      return [await whole(writeText(report)), await whole(writeHtml(report))] as const;
    };
    const hint = 'GET /v1/runs/{id}/judgements';
    expect((await texts())[0]).toContain(`2 replies wait for judges and count as failed so far. ${hint}`);
    const down = ['0.0', '1.0'].map((id) => ({ id, error: 'status 500' }));
    await record(runId, ...down, ...down, ...down);
    expect((await nextJudgements(as, { runId, limit: 8 })).remaining).toBe(0);
    const [text, html] = await texts();
    expect(text).toContain('2 of 2 trials got no reply or verdict: 2 × The judge did not reply: status 500');
    expect(text).toContain('Without a verdict (2)\n  a: no verdict: The judge did not reply: status 500\n');
    expect(html).toContain('<dt>without a reply or verdict</dt><dd class="warn">2</dd>');
    for (const said of [text, html]) {
      expect(said).not.toContain(hint);
      expect(said).not.toContain('To be judged');
    }
  });

  test('the number of replies that wait is counted anew with each verdict, whatever it was', async () => {
    const runId = await play('counted', [judged('a'), judged('b')]);
    const open = async () => (await showOwnRun(as, { runId })).result?.judged?.open;
    const tooMany = async () => {
      const [card] = await rowsOf(ctx, 'runScorecards', { runId });
      const known = { cases: ['a', 'b'], open: 5, judges: [] };
      await changeRows(ctx, 'runScorecards', { runId }, { scoreJson: { ...card!.scoreJson, judged: known } });
      expect(await open()).toBe(5);
    };
    await tooMany();
    await record(runId, { id: '0.0', replies: [pass] });
    expect(await open()).toBe(1);
    await tooMany();
    await overruleCase(as, { runId, caseId: 'a', trial: 1, passed: false, reason: 'I have read it.' });
    expect(await open()).toBe(1);
    await tooMany();
    await overruleCase(as, { runId, caseId: 'b', trial: 1, passed: true, reason: 'I have read it.' });
    expect(await open()).toBe(0);
  });

  test('the pass rate without what was overruled counts verdicts that came later', async () => {
    const runId = await play('graded', [judged('a'), judged('b'), judged('c'), judged('d')]);
    await record(runId, { id: '0.0', replies: [fail] });
    await overruleCase(as, { runId, caseId: 'a', trial: 1, passed: true, reason: 'I have read it.' });
    await record(runId, ...['1.0', '2.0', '3.0'].map((id) => ({ id, replies: [pass] })));
    const { run, result } = await showOwnRun(as, { runId });
    expect([run.score, result?.reviewed]).toMatchObject([
      100,
      { confirmed: 0, overruled: ['a'], as_graded: { value: 0.75 } },
    ]);
    expect(await whole(writeText(await reportRun(as, { runId, baseline: null })))).toContain(
      'overruled verdicts of 1 case (a). Without that, the pass rate is 75.0%.',
    );
    await expectNoDrift(ctx);
  });

  test('a wrong reply without a cost falls short of the bar, and so does one that only lacks the cost', async () => {
    const bounded = (id: string) => ({ id, prompt: id, expect: [{ cost_usd: 0.01 }, { contains: 'one' }] });
    const plain = Array.from({ length: 10 }, (_, at) => ({ ...byRule, id: `plain-${at}` }));
    const cases = [bounded('wrong'), bounded('right'), ...plain];
    const texts: Readonly<Record<string, string>> = { wrong: 'zzz', right: 'one' };
    const runId = await play('bounded', cases, (id) => ({ text: texts[id] ?? 'hello' }));
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
    const runId = await playRefused('by-rule');
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
    expect(await record(runId, { id: '0.0', replies: [pass] })).toMatchObject({ judged: 1, remaining: 1 });
    expect(await figures()).toEqual([['failed', 'error'], 1, 1, { value: 0.5, passed: 1, graded: 2 }]);
    expect((await trialsOf(runId))[0]).toMatchObject({
      score: 0.5,
      error_code: null,
      graders: [{ passed: true }, { passed: false }],
    });
    await expectNoDrift(ctx);
  });

  test('such a case stays failed without its judge, and its owner can overrule the rule', async () => {
    const runId = await playRefused('unread');
    for (const remaining of [2, 2, 1])
      expect(await record(runId, { id: '0.0', error: 'status 500' })).toMatchObject({ remaining });
    const [trial] = await trialsOf(runId);
    expect(trial).toMatchObject({ status: 'failed', error_code: null });
    expect(trial).not.toHaveProperty('error_message');
    const other = await playRefused('overruled');
    const decision = { runId: other, caseId: 'polite', trial: 1, passed: true, reason: 'I have read it.' };
    const overruled = await overruleCase(as, decision);
    expect([overruled.trial.review?.was, overruled.result.judged?.open]).toEqual(['failed', 1]);
    expect((await nextJudgements(as, { runId: other, limit: 8 })).remaining).toBe(1);
    expect((await showAgreement(as, { runId: other })).rules).toMatchObject({ reviewed: 1, too_strict: 1 });
  });
});
