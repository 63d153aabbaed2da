/** What hostile suites, and the replies of hostile runners, cannot do. Faults of documents are tested with the format. */
import { beforeAll, expect, test } from 'bun:test';
import { listNotifications } from '#domain/notifications/list-notifications.ts';
import { openPlace } from '#domain/place/open-place.ts';
import { createPlaceGraders } from '#domain/place/place-graders.ts';
import { answerCases, gradeAnswers } from '#domain/runs/pull/answer-cases.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { reportRun } from '#domain/runs/report-run.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { updateSuite } from '#domain/suites/change-suite.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { systemTestClock } from '#test/harness/clock.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { rowOf } from '#test/harness/rows.ts';
import { forEachStore, onStore } from '#test/harness/stores.ts';
import { orderSuiteRun, playSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';
import { balanceOf, expectNoDrift } from '../outcomes.ts';

/** Each gives a text of the grader's work to do. */
const everyTextGrader = [
  { equals: 'é', ignore: ['case', 'accents', 'punctuation', 'whitespace'] },
  { contains: 'é', ignore: ['accents'] },
  { matches: '(a+)+$' },
  { number: 5, within: 1, last: true },
  { choice: 'B', options: ['A', 'B'] },
  { json: { schema: { type: 'object' } } },
  { rows: [['a'], ['b']] },
  { list: ['a', 'b'] },
  { length: 'words', max: 3 },
  { similar: 'rouge-l', to: ['a b c'], at_least: 0.5 },
  { similar: 'edit', to: ['a b c'], at_least: 0.5 },
  { refuses: true },
  { leaks: 'secret word', not: true },
];

const marks = ['\u0301', '\u0316', '\u0345', '\u{1d165}'];
/** 64 kB of UTF-8; the last mark has four bytes. */
const marksText = `a${marks.map((mark) => mark.repeat(5_900)).join('')}`;

const slow = { similar: 'edit', to: ['b '.repeat(1_500)], at_least: 0.9 };
/** Compares the reply with 256 texts, which takes more work than a reply may. */
const heavy = { all: Array.from({ length: 16 }, () => ({ any: Array.from({ length: 16 }, () => slow) })) };
const longReply = 'c '.repeat(3_900);

onStore('sqlite', (store) => {
  // The work of graders takes real time.
  const ctx = Object.assign(useTestCtx(store), { clock: systemTestClock() });
  const as = useAgentCtx(ctx, { tokens: 50 });
  const openGraders = () => {
    const place = openPlace({ waitingMax: { ofAgent: 100, all: 100 } });
    return { place, graders: createPlaceGraders({ place, inlineMax: 0, judges: null }) };
  };

  test('64 kB of combining marks are graded in bounded time, without delaying anything else', async () => {
    const cases = everyTextGrader.map((grader, at) => ({ id: `case-${at}`, prompt: 'x', expect: [grader] }));
    await publishTestSuite(as, { suite: 1, name: 'marks', cases });
    const { place, graders } = openGraders();
    const text = marksText;
    // Processor time, because on a busy machine this process waits for others too.
    const usedMs = () => process.cpuUsage().user / 1_000;
    let latest = usedMs();
    let longestGapMs = 0;
    const beat = setInterval(() => {
      longestGapMs = Math.max(longestGapMs, usedMs() - latest);
      latest = usedMs();
    }, 5);
    const { id: runId } = await orderSuiteRun(as, `@${as.agent.handle}/marks`);
    for (let ended = false; !ended;) {
      const handed = await handOutCases(as, { runId, limit: 3 });
      const answers = handed.cases.map(({ caseId }) => ({ caseId, text }));
      ({ ended } = await answerCases(as, await gradeAnswers(as, { runId, answers, graders })));
    }
    clearInterval(beat);
    place.close();
    expect(longestGapMs).toBeLessThan(1_000);
    const { run, cases: shown } = await showOwnRun(as, { runId, withCases: true });
    expect([run.status, run.failureMessage]).toEqual(['completed', null]);
    const trials = shown?.flatMap((one) => one.trials) ?? [];
    expect(trials).toHaveLength(everyTextGrader.length);
    for (const { response_text: stored, graders: results } of trials) {
      expect(stored?.length ?? 0).toBeLessThanOrEqual(8_000);
      for (const { found } of results) expect(found?.length ?? 0).toBeLessThanOrEqual(2_000);
    }
  });

  test('replies that their graders take too long for fail, and the replies of others are graded meanwhile', async () => {
    const heavyGraders = [
      // Every object is compared with all others.
      { json: { schema: { type: 'array', uniqueItems: true, items: { type: 'object' } } } },
      { matches: '(a{0,30}){0,30}b$' },
      heavy,
    ];
    const cases = heavyGraders.map((grader, at) => ({ id: `heavy-${at}`, prompt: 'x', expect: [grader] }));
    await publishTestSuite(as, { suite: 1, name: 'heavy', cases });
    const asBob = actingAs(ctx, await createTestAgent(ctx, { tokens: 9 }));
    const light = { id: 'light', prompt: 'x', expect: [{ equals: 'x' }] };
    await publishTestSuite(asBob, { suite: 1, name: 'light', cases: [light] });
    const run = await orderSuiteRun(as, `@${as.agent.handle}/heavy`);
    const other = await orderSuiteRun(asBob, `@${asBob.agent.handle}/light`);
    const { place, graders } = openGraders();
    await handOutCases(as, { runId: run.id, limit: 3 });
    await handOutCases(asBob, { runId: other.id, limit: 1 });
    const objects = JSON.stringify(Array.from({ length: 5_000 }, (_, n) => ({ n })));
    const texts = [objects, 'a'.repeat(60_000), longReply];
    const heavyAnswers = texts.map((text, at) => ({ caseId: `heavy-${at}`, text }));
    let isOver = false;
    const grade = async () => {
      for (;;) {
        const { replies } = await gradeAnswers(as, { runId: run.id, answers: heavyAnswers, graders });
        if (isOver) return replies.map(({ taken }) => taken?.result);
      }
    };
    const graded = [grade(), grade(), grade()];
    const answers = [{ caseId: 'light', text: 'x' }];
    // It would never end if it had to wait for them.
    const quick = await gradeAnswers(asBob, { runId: other.id, answers, graders });
    isOver = true;
    expect(quick.replies[0]?.taken?.result).toMatchObject({ status: 'passed' });
    const [results = []] = await Promise.all(graded);
    expect(results).toHaveLength(cases.length);
    expect(results[2]).toMatchObject({
      status: 'failed',
      graders: [{ found: expect.stringContaining('steps') as string }],
    });
    place.close();
  });
});

/** A reply that exhausts its graders fails: it makes no run free, and no bar hold. */
forEachStore((store) => {
  const ctx = useTestCtx(store);
  const as = useAgentCtx(ctx, { tokens: 9 });
  const ada = as.agent;
  const { agent: bob } = useAgentCtx(ctx, { tokens: 9 });
  beforeAll(async () => {
    const one = (id: string, grader: object) => ({ id, prompt: 'x', expect: [grader] });
    const light = Array.from({ length: 9 }, (_, at) => one(`light-${at}`, { equals: 'x' }));
    const publish = async (name: string, cases: readonly object[]) => {
      await publishTestSuite(as, { suite: 1, name, cases });
      await updateSuite(as, { owner: ada.handle, name, visibility: 'open' });
    };
    await publish('heavy', [one('heavy', heavy)]);
    await publish('a-tenth', [one('heavy', { any: [heavy, { equals: 'x' }] }), ...light]);
    await publish('costs', [one('costs', { cost_usd: 1 })]);
  });

  const play = async (agent: TestAgent, suite: string, reply = longReply) => {
    const as = actingAs(ctx, agent);
    const said = (caseId: string) => ({ text: caseId === 'heavy' ? reply : 'x' });
    const runId = await playSuiteRun(as, `@${ada.handle}/${suite}`, said);
    return showOwnRun(as, { runId, withCases: true });
  };

  test.each([
    ['of the owner of the suite', ada],
    ['of another agent', bob],
  ])('a run %s completes and is charged, free or not', async (_, agent) => {
    for (const balance of [9, 8]) {
      const { run, cases } = await play(agent, 'heavy');
      expect(run).toMatchObject({ status: 'completed', score: 0, chargeState: 'consumed' });
      expect(cases?.[0]?.trials[0]).toMatchObject({
        status: 'failed',
        graders: [{ expected: 'a reply that can be graded', found: expect.stringContaining('steps') }],
      });
      expect(cases?.[0]?.trials[0]).not.toHaveProperty('exhausted');
      expect(await balanceOf(ctx, agent)).toMatchObject({ balance, held: 0, freeSuiteRunAvailable: false });
      const { result } = await rowOf(ctx, 'runItems', { runId: run.id });
      expect(result).toMatchObject({ status: 'failed', exhausted: 'work' });
    }
    await expectNoDrift(ctx);
  });

  test('the owner is told of runs of others, once a day for each suite', async () => {
    const told = async () => {
      const page = { limit: 50, cursor: null, kind: 'suite.exhausted' } as const;
      const { notifications } = await listNotifications(as, page);
      return notifications.map(({ data }) => data);
    };
    const notice = { suite: `@${ada.handle}/heavy`, version: '1', ungraded: 1, replies: 1 };
    // The two runs before.
    expect(await told()).toEqual([notice]);
    await play(bob, 'a-tenth');
    const other = { ...notice, suite: `@${ada.handle}/a-tenth`, replies: 10 };
    const both = (await told()).toSorted((a, b) => Number(a['replies']) - Number(b['replies']));
    expect(both).toEqual([notice, other]);
    ctx.clock.advance(24 * 60 * 60 * 1_000 + 1);
    await play(bob, 'heavy');
    expect(await told()).toHaveLength(3);
  });

  test('a reply that exhausts its graders makes every bar fall short', async () => {
    const before = await play(ada, 'a-tenth', 'x');
    expect(before.run).toMatchObject({ score: 100 });
    const { run } = await play(ada, 'a-tenth');
    expect(run).toMatchObject({ score: 90 });
    const bars = { minPass: 1, minScore: 91, failOn: 'broken' } as const;
    const report = await reportRun(as, { runId: run.id, baseline: before.run.id, ...bars });
    expect(report.bars.map(({ bar, held }) => [bar, held])).toEqual([
      ['min_pass', false],
      ['min_score', false],
      ['fail_on', false],
      ['min_compared', true],
    ]);
  });

  test('an agent that does not own the suite cannot repeat a run without verdicts for free without end either', async () => {
    const eve = await createTestAgent(ctx, { tokens: 9 });
    const runLimits = { ...ctx.rules.runLimits, failedCallsPerDay: 2 };
    const limited = { ...ctx, rules: { ...ctx.rules, runLimits } };
    const refunded = { failureCode: 'ungraded', chargeState: 'refunded' };
    for (const _ of ['first', 'second']) expect((await play(eve, 'costs')).run).toMatchObject(refunded);
    const third = orderSuiteRun(actingAs(limited, eve), `@${ada.handle}/costs`);
    const message = expect.stringContaining('2 calls within 24 hours');
    await expect(third).rejects.toMatchObject({ code: 'too_many_failed_runs', message });
  });
});
