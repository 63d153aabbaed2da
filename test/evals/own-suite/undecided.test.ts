/** A case with a grader without a verdict is failed if the others leave no way to pass, and otherwise ungraded. */
import { expect, test } from 'bun:test';
import type { GraderSpec } from '#evals/own-suite/document.ts';
import { prepareCase, sampleAsReply } from '#evals/own-suite/grade-reply.ts';
import type { GradeContext } from '#evals/own-suite/graders/grader.ts';
import { prepareGrader } from '#evals/own-suite/graders/registry.ts';
import { WorkBudget } from '#evals/own-suite/work-budget.ts';
import { createRandom, type Random } from '#evals/random.ts';
import { noJudge, passes, replyOf } from './grader-tables.ts';

const free = { ...sampleAsReply('zzz'), costUsd: null };
const [hit, miss, silent] = [{ contains: 'z' }, { contains: 'one' }, { cost_usd: 0.01 }] as const;

test('a reply fails by one grader, whatever another without a verdict would say, and is told what has none', async () => {
  const graded = await prepareCase({ id: 'a', expect: [silent, miss] })(free, { judge: null });
  const none = 'The agent reports no cost in `usage`.';
  expect(graded).toEqual({
    passed: false,
    share: 0,
    graders: [
      { name: 'cost_usd', passed: null, expected: 'at most $0.01', found: none },
      { name: 'contains', passed: false, expected: '"one"', found: 'none of it' },
    ],
  });
});

test('a judge of the runner that is left cannot save a reply that a rule refuses', async () => {
  const gradeWith = (rule: GraderSpec) =>
    prepareCase({ id: 'a', expect: [{ judge: 'tone' }, rule] })(free, { judge: null, leavesJudges: true });
  expect(await gradeWith(miss)).toMatchObject({
    passed: false,
    graders: [{ passed: null, found: 'not judged' }, { passed: false }],
    waiting: { shares: [null, 0], isOpen: false },
  });
  expect(await gradeWith(hit)).toMatchObject({ passed: false, waiting: { shares: [null, 1], isOpen: true } });
  expect(await gradeWith(silent)).toHaveProperty('ungraded');
});

test('a reply that takes too much work is failed by what was graded before', async () => {
  const text = `${'a '.repeat(3_900)}zzz`;
  const heavy = { similar: 'edit', to: ['b '.repeat(3_900)], at_least: 0.9 };
  const gradeWith = (...expected: GraderSpec[]) =>
    prepareCase({ id: 'a', expect: expected })(sampleAsReply(text), {
      judge: null,
      work: new WorkBudget(500_000),
    });
  expect(await gradeWith(hit, heavy)).toMatchObject({ exhausted: 'work' });
  expect(await gradeWith(miss, heavy)).toMatchObject({ passed: false });
  expect(await gradeWith({ webhook: 'silent' }, heavy)).toMatchObject({ exhausted: 'work' });
});

const seed = process.env['TEST_SEED'] ?? `${Date.now()}`;

interface Drawn {
  readonly spec: GraderSpec;
  /** The webhooks in it. */
  readonly silent: readonly string[];
}

function drawGrader(random: Random, name: string, depth = 0): Drawn {
  const more = { ...(random.chance(0.2) ? { not: true } : {}), ...(random.chance(0.3) ? { weight: 2 } : {}) };
  const kind = random.pick(depth < 3 ? (['leaf', 'leaf', 'all', 'any', 'least', 'not'] as const) : ['leaf']);
  if (kind === 'leaf') {
    const isSilent = random.chance(0.4);
    const spec = isSilent ? { webhook: name } : random.pick([hit, miss]);
    return { spec: { ...spec, ...more }, silent: isSilent ? [name] : [] };
  }
  const inner = Array.from({ length: kind === 'not' ? 1 : random.int(1, 3) }, (_, at) =>
    drawGrader(random, `${name}-${at}`, depth + 1),
  );
  const specs = inner.map(({ spec }) => spec);
  const spec =
    kind === 'not'
      ? { not: specs[0] }
      : kind === 'least'
        ? { any: specs, at_least: random.pick([0.3, 0.5, 0.8]), ...more }
        : { [kind]: specs, ...more };
  return { spec, silent: inner.flatMap((each) => each.silent) };
}

test('a case is failed if and only if it fails whatever the silent judges would say', async () => {
  process.stdout.write(`seed ${seed}\n`);
  const random = createRandom(seed, 'undecided');
  const seen = { failed: 0, ungraded: 0 };
  for (let round = 0; round < 2_000; round += 1) {
    const drawn = Array.from({ length: random.int(1, 4) }, (_, at) => drawGrader(random, `j${at}`));
    const silent = drawn.flatMap((each) => each.silent);
    if (silent.length === 0 || silent.length > 6) continue;
    const expected = drawn.map(({ spec }) => (random.chance(0.2) ? { ...spec, required: true } : spec));
    const grade = prepareCase({ id: 'a', expect: expected, pass_at: random.pick([0.3, 0.5, 0.75, 1]) });
    const graded = await grade(free, { judge: () => Promise.resolve({ ungraded: 'silent' }) });
    let canPass = false;
    for (let bits = 0; bits < 2 ** silent.length && !canPass; bits += 1) {
      const judge: GradeContext['judge'] = (name) =>
        Promise.resolve({ share: (bits >> silent.indexOf(name)) & 1, expected: '', found: '' });
      const settled = await grade(free, { judge });
      canPass = 'passed' in settled && settled.passed;
    }
    seen[canPass ? 'ungraded' : 'failed'] += 1;
    expect('ungraded' in graded ? 'ungraded' : graded.passed ? 'passed' : 'failed').toBe(
      canPass ? 'ungraded' : 'failed',
    );
  }
  expect(Math.min(seen.failed, seen.ungraded)).toBeGreaterThan(100);
});

test('a reply that costs too much fails, and one without a cost is ungraded', async () => {
  const dear = { ...replyOf('x'), costUsd: 0.002 };
  expect(await passes({ cost_usd: 0.001 }, dear)).toBe(false);
  expect(await passes({ cost_usd: 0.002 }, dear)).toBe(true);
  const free = { ...dear, costUsd: null };
  for (const spec of [{ cost_usd: 1 }, { cost_usd: 1, not: true }, { any: [{ cost_usd: 1 }] }])
    expect(await prepareGrader(spec)(free, noJudge)).toMatchObject({
      ungraded: expect.stringContaining('no cost'),
    });
});

test('a reply that is too slow fails', async () => {
  const slow = { ...replyOf('x'), latencyMs: 2_001 };
  expect(await passes({ latency_s: 2 }, slow)).toBe(false);
  expect(await passes({ latency_s: 2.1 }, slow)).toBe(true);
});
