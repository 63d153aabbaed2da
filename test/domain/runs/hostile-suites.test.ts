/** What hostile suites, and the replies of hostile runners, cannot do. Faults of documents are tested with the format. */
import { expect, test } from 'bun:test';
import { openPlace } from '#domain/place/open-place.ts';
import { createPlaceGraders } from '#domain/place/place-graders.ts';
import { answerCases, gradeAnswers } from '#domain/runs/pull/answer-cases.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { showOwnRun } from '#domain/runs/show-run.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { systemTestClock } from '#test/harness/clock.ts';
import { actingAs, useTestCtx } from '#test/harness/ctx.ts';
import { onStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { useAgentCtx } from '#test/harness/use-agent-ctx.ts';

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
    const heavy = [
      // Every object is compared with all others.
      { json: { schema: { type: 'array', uniqueItems: true, items: { type: 'object' } } } },
      { matches: '(a{0,30}){0,30}b$' },
      { all: Array.from({ length: 16 }, () => ({ any: Array.from({ length: 16 }, () => slow) })) },
    ];
    const cases = heavy.map((grader, at) => ({ id: `heavy-${at}`, prompt: 'x', expect: [grader] }));
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
    const texts = [objects, 'a'.repeat(60_000), 'c '.repeat(3_900)];
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
    expect(results).toHaveLength(heavy.length);
    expect(results[2]).toMatchObject({
      status: 'failed',
      graders: [{ found: expect.stringContaining('steps') as string }],
    });
    place.close();
  });
});
