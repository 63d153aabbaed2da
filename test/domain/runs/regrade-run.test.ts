/** Stored replies, graded by a newer version of their suite. */
import { expect, test } from 'bun:test';
import type { RunRow } from '#db/schema/run-tables.ts';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { listItemsInParts } from '#domain/runs/store-items.ts';
import { regradeRun } from '#domain/runs/regrade-run.ts';
import { nextJudgements } from '#domain/runs/judging/next-judgements.ts';
import { recordJudgements } from '#domain/runs/judging/record-judgements.ts';
import { writeText } from '#evals/report/text.ts';
import { reportRun } from '#domain/runs/report-run.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { whole } from '#test/evals/export/exported-runs.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { carryOut, createTestRunner, redeem } from '#test/harness/eval-runs.ts';
import { dataUrl, imageOf, pngUrl } from '#test/harness/images.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { changeRows } from '#test/harness/rows.ts';
import { onStore } from '#test/harness/stores.ts';
import { orderSuiteRun, playSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { codeOf, balanceOf } from '../outcomes.ts';

const kept = { id: 'kept', prompt: 'one', expect: [{ equals: 'one' }] };
const stricter = { id: 'stricter', prompt: 'two', expect: [{ contains: 'two' }] };
const late = { id: 'late', prompt: 'four', expect: [{ latency_s: 1 }] };
const long = { id: 'long', prompt: 'five', expect: [{ contains: 'x' }] };
const failed = { id: 'failed', prompt: 'six', expect: [{ equals: 'six' }] };
const filler = Array.from({ length: 8 }, (_, index) => ({ ...kept, id: `filler-${index}` }));
const first = [kept, stricter, late, long, failed, { id: 'asked', prompt: 'old', expect: [{ equals: 'x' }] }];

const redis = useTestRedis();

onStore('sqlite', (store) => {
  const ctx = useTestCtx(store);
  const as = useAgentCtx(ctx, { tokens: 20 });
  const ada = as.agent;
  const publish = (name: string, cases: readonly object[], more: object = {}) =>
    publishTestSuite(as, { suite: 1, name, ...more, cases: [...cases, ...filler] });
  /** @param said the replies of a case in turn; by default, to its one message, `one` */
  const play = (name: string, said: Readonly<Record<string, readonly object[]>> = {}) => {
    const left = Object.fromEntries(Object.entries(said).map(([id, replies]) => [id, [...replies]]));
    return playSuiteRun(as, `@${ada.handle}/${name}`, (id) => left[id]?.shift() ?? { text: 'one' }, {
      label: 'main',
    });
  };
  const answered = (name: string) =>
    play(name, {
      stricter: [{ text: 'number two' }],
      long: [{ text: 'x'.repeat(5_000) }],
      failed: [{ error: 'It broke.' }],
    });

  async function regraded(runId: string) {
    const run = await regradeRun(as, { runId, version: null, label: null });
    using runner = createTestRunner(ctx, redis.url);
    await carryOut(runner, run.id);
    return showOwnRun(as, { runId: run.id, withCases: true });
  }

  test('replies get the verdicts of the newer version; what it asks anew is named, and nothing is asked or paid', async () => {
    await publish('newer', first);
    const runId = await answered('newer');
    const changed = { id: 'asked', prompt: 'another question', expect: [{ equals: 'x' }] };
    const added = { id: 'added', prompt: 'new', expect: [{ equals: 'x' }] };
    const strict = { ...stricter, expect: [{ equals: 'two' }] };
    await publish('newer', [kept, strict, late, long, failed, changed, added]);
    const before = await balanceOf(ctx, ada);
    const { run, cases, unseen } = await regraded(runId);
    expect(await balanceOf(ctx, ada)).toEqual(before);
    // With the label, a comparison with the newest run of a branch would find this one.
    const plain = { label: null, chargeTokens: 0, chargeFree: false, ranked: false };
    expect(run).toMatchObject({ status: 'completed', regradedFrom: runId, suiteVersion: '2', ...plain });
    const verdicts = cases?.map(({ case_id: id, trials: [trial] }) => `${id}: ${trial?.status}`);
    const expected = ['kept: passed', 'stricter: failed', 'late: passed', 'long: ungraded', 'failed: error'];
    expect(verdicts?.slice(0, 5)).toEqual(expected);
    expect(cases?.[3]?.trials[0]?.ungraded).toBe('Only the beginning of the reply is kept.');
    expect(cases?.[4]?.trials[0]).toMatchObject({ error_message: 'It broke.', attempts: 1 });
    const latencyOf = (id: string) => listItemsInParts(ctx, id, ({ latency_ms: ms }) => ms);
    const [[asked = -1], [again]] = [await latencyOf(runId), await latencyOf(run.id)];
    expect(again).toBe(asked);
    expect(unseen).toEqual([
      `The replies are those of run ${runId}, graded again.`,
      'They cover 13 of the 15 cases of this version; the earlier run did not ask the others as they are now: asked, added.',
    ]);
    const report = await reportRun(as, { runId: run.id, baseline: 'latest' });
    expect(report.run).toMatchObject({ regradedFrom: runId, unseen });
    // A changed grader is what a comparison of the same replies shows, and which reply could not be graded again.
    const broken = ['stricter', 'long'];
    expect(report.change).toMatchObject({ broken, reach: { compared: 12, changed: [] } });
  });

  test('a reply to a case with images is graded again while the case shows the same ones', async () => {
    const shown = (images: readonly string[], expected: string) => ({
      id: 'shown',
      messages: [{ role: 'user', content: 'What is it?', images }],
      expect: [{ equals: expected }],
    });
    const [same, other] = [pngUrl, dataUrl(imageOf(200, 3))];
    await publish('shown', [shown([same], 'one')]);
    const runId = await play('shown');
    await publish('shown', [shown([same], 'two')]);
    expect((await regraded(runId)).cases?.[0]?.trials[0]?.status).toBe('failed');
    await publish('shown', [shown([other], 'one')]);
    expect((await regraded(runId)).cases?.map(({ case_id: id }) => id)).not.toContain('shown');
  });

  test('each reply of a case with turns and tools gets the verdicts of the newer version', async () => {
    const tools = [{ name: 'find', returns: [{ return: 'late' }] }, { name: 'note' }];
    const talk = (first: object, second: object, last: object) => ({
      id: 'talk',
      tools,
      turns: [
        { prompt: 'Hello', expect: [first] },
        { prompt: 'Order 7?', expect: [second] },
      ],
      expect: [last],
    });
    await publish('talks', [talk({ equals: 'x' }, { equals: 'x' }, { equals: 'x' })]);
    const call = { id: 'c', name: 'find', arguments: { id: 7 } };
    const steps = [{ text: 'Hello Ada!' }, { text: 'I look.', toolCalls: [call] }, { text: 'It is late.' }];
    const runId = await play('talks', { talk: steps });
    const verdicts = async (again: object) => {
      await publish('talks', [again]);
      const [trial] = (await regraded(runId)).cases?.[0]?.trials ?? [];
      return [trial?.status, trial?.graders.map(({ passed }) => passed), trial?.earlier];
    };
    const found = { tool_calls: [{ name: 'find', arguments: { id: 7 } }] };
    expect(await verdicts(talk({ contains: 'Ada' }, found, { contains: 'late' }))).toEqual([
      'passed',
      [true, true, true],
      ['Hello Ada!'],
    ]);
    const wrong = talk({ tool_calls: [{ name: 'find' }] }, { contains: 'Ada' }, { equals: 'It is late.' });
    expect(await verdicts(wrong)).toEqual(['failed', [false, false, true], ['Hello Ada!']]);
  });

  test('a conversation of which a part was cut off stays without a verdict, however often it is graded', async () => {
    const talk = {
      id: 'talk',
      turns: ['Hello', 'Bye'],
      expect: [{ judge: 'kind' }, { not: { contains: 'z' } }],
    };
    const note = { id: 'note', prompt: 'Note', tools: [{ name: 'note' }], expect: [{ contains: 'late' }] };
    // A run of which many replies have no verdict fails.
    const more = Array.from({ length: 12 }, (_, index) => ({ ...kept, id: `more-${index}` }));
    const judges = { kind: { rubric: 'Kind.' } };
    const cases = [talk, note, ...more];
    const publishCut = (description: string) => publish('cut', cases, { description, judges });
    await publishCut('1');
    const toolCalls = [{ id: 'c', name: 'note', arguments: { text: 'x'.repeat(5_000) } }];
    let runId = await play('cut', {
      note: [{ text: 'late', toolCalls }],
      talk: [{ text: `${'x'.repeat(17_000)}z` }, { text: 'Bye.' }],
    });
    for (const description of ['2', '3']) {
      await publishCut(description);
      const again = await regraded(runId);
      runId = again.run.id;
      for (const { trials } of again.cases!.slice(0, 2))
        expect(trials[0]?.ungraded).toBe('Only the beginning of the reply is kept.');
    }
  });

  test('an unchanged version finds what it found before, also at the bounds of what is stored', async () => {
    const has = (id: string, expected: object) => ({ id, prompt: id, expect: [expected] });
    const called = { ...has('called', { contains: 'x' }), tools: [{ name: 'note' }] };
    const tone = { judge: 'tone' };
    const asked = [
      has('emoji', { contains: 'x' }),
      has('longest', { contains: 'x' }),
      called,
      has('slow', { latency_s: 5 }),
      { id: 'twice', prompt: 'twice', expect: [tone, tone] },
      { id: 'half', prompt: 'half', expect: [tone, tone] },
    ];
    const judges = { tone: { rubric: 'Polite.' } };
    await publish('bounds', asked, { judges });
    const toolCalls = [{ id: 'c', name: 'note', arguments: 'no object' }];
    const runId = await play('bounds', {
      emoji: [{ text: `x${'😀'.repeat(2_000)}` }],
      longest: [{ text: 'x'.repeat(4_000) }],
      called: [{ text: 'x', toolCalls }],
      slow: [{ text: 'x', latencyMs: 5_000.4 }],
    });
    const judgements = [
      { id: '4.0', replies: ['VERDICT: PASS'] },
      { id: '4.1', replies: ['VERDICT: FAIL'] },
      { id: '5.1', replies: ['VERDICT: PASS'] },
    ];
    await recordJudgements(as, { runId, model: 'm', judgements });
    const found = ({ cases }: Awaited<ReturnType<typeof regraded>>) =>
      cases?.flatMap(({ case_id: id, trials }) =>
        trials.map((one) => [id, one.status, one.graders.map(({ passed }) => passed), one.ungraded]),
      );
    const before = found(await showOwnRun(as, { runId, withCases: true }));
    const statuses = [...Array(4).fill('passed'), 'failed', 'error'];
    expect(before?.slice(0, 6).map(([, status]) => status)).toEqual(statuses);
    expect(found(await regraded(runId))).toEqual(before);
  });

  test('verdicts of judges that are the same are kept, and the others are to be judged', async () => {
    const tone = { rubric: 'Polite.' };
    // What it does may have changed, which the hub does not see.
    const program = { command: 'node judge.mjs' };
    const judged = (judge: string, rule: object) => ({ id: judge, prompt: judge, expect: [{ judge }, rule] });
    const publishJudged = (other: object, rule: object) => {
      const cases = ['tone', 'other', 'program'].map((judge) => judged(judge, rule));
      return publish('judged', cases, { judges: { tone, other, program } });
    };
    await publishJudged({ rubric: 'Short.' }, { equals: 'x' });
    const runId = await play('judged');
    const { tasks } = await nextJudgements(as, { runId, limit: 9 });
    const judgements = tasks.map(({ id, judge }) => ({
      id,
      replies: [judge === 'program' ? '{"share": 1}' : 'It is kind.\nVERDICT: PASS'],
    }));
    await recordJudgements(as, { runId, model: 'gpt-5', judgements });
    await publishJudged({ rubric: 'Very short.' }, { contains: 'on' });
    const { run, cases, result } = await regraded(runId);
    const unjudged = { status: 'error', error_code: 'not_judged' };
    const shown = cases?.slice(0, 3).map(({ trials }) => trials[0]);
    expect(shown).toMatchObject([{ status: 'passed', error_code: null }, unjudged, unjudged]);
    expect(cases?.[0]?.trials[0]?.judged).toMatchObject([{ judge: 'tone', model: 'gpt-5', grader: 0 }]);
    const oneJudged = { open: 2, judges: [{ judge: 'tone', replies: 1 }] };
    expect(result?.judged).toMatchObject({ ...oneJudged, cases: ['tone', 'other', 'program'] });
    const left = await nextJudgements(as, { runId: run.id, limit: 9 });
    expect(left.tasks.map(({ judge }) => judge)).toEqual(['other', 'program']);
    const text = await whole(writeText(await reportRun(as, { runId: run.id, baseline: null })));
    expect(text).toContain('Without a verdict (2)\n  other: no verdict');
    await publishJudged({ rubric: 'Very short.' }, { equals: 'x' });
    const strict = await regraded(runId);
    const statuses = strict.cases?.slice(0, 3).map(({ trials }) => trials[0]?.status);
    expect(statuses).toEqual(['failed', 'failed', 'failed']);
    expect(strict.cases?.[0]?.trials[0]?.judged).toHaveLength(1);
    expect(strict.result?.judged).toMatchObject(oneJudged);
  });

  test('what a program of the runner said of a rubric is asked again, whatever it calls its model', async () => {
    const judges = { tone: { rubric: 'Polite.' } };
    await publish('by-program', [{ id: 'tone', prompt: 'tone', expect: [{ judge: 'tone' }] }], { judges });
    const runId = await play('by-program');
    const [task] = (await nextJudgements(as, { runId, limit: 1 })).tasks;
    const judgements = [{ id: task!.id, replies: ['VERDICT: PASS'] }];
    await recordJudgements(as, { runId, model: 'gpt-5', isProgram: true, judgements });
    const { run, cases: graded } = await regraded(runId);
    expect(graded?.[0]?.trials[0]).toMatchObject({ status: 'error', error_code: 'not_judged' });
    expect((await nextJudgements(as, { runId: run.id, limit: 9 })).tasks).toHaveLength(1);
  });

  test('only completed runs of suites that still have their cases can be regraded, by a version that asks some of them', async () => {
    await publish('refusals', first);
    const { id: open } = await orderSuiteRun(as, `@${ada.handle}/refusals`);
    const regrade = (runId: string, version: number | null = null) =>
      codeOf(regradeRun(as, { runId, version, label: null }));
    expect(await regrade(open)).toBe('run_not_completed');
    // A run that failed was refunded.
    expect((await cancelRun(as, { runId: open })).chargeState).toBe('refunded');
    expect(await regrade(open)).toBe('run_not_completed');
    const runId = await answered('refusals');
    expect(await regrade(runId, 7)).toBe('not_found');
    const other = { id: 'kept', prompt: 'other', expect: [{ equals: 'x' }] };
    await publishTestSuite(as, { suite: 1, name: 'refusals', cases: [other] });
    expect(await regrade(runId)).toBe('invalid_body');
    const { evalRun } = await redeem(ctx, ada.id, 'https://agent.example/');
    expect(await regrade(evalRun.id)).toBe('run_not_completed');
    const change = (fields: Partial<RunRow>) => changeRows(ctx, 'runs', { agentId: ada.id }, fields);
    await change({ status: 'completed', itemsPrunedAt: ctx.clock.now() });
    expect(await regrade(runId)).toBe('gone');
    await change({ itemsPrunedAt: null });
    expect(await regrade(evalRun.id)).toBe('conflict');
  });
});
