/** What grading a reply costs: linear in the reply, never more than a budget, and the same on every machine. */
import { expect, test } from 'bun:test';
import { hasText } from '#evals/own-suite/find-text.ts';
import { prepareCase, sampleAsReply } from '#evals/own-suite/grade-reply.ts';
import { graderName, graders, prepareGrader } from '#evals/own-suite/graders/registry.ts';
import { checkSuite } from '#evals/own-suite/check-suite.ts';
import { maxReplyWork } from '#evals/own-suite/limits.ts';
import { WorkBudget } from '#evals/own-suite/work-budget.ts';
import { createRandom } from '#evals/random.ts';
import { drawSeed, drawSeeds } from '#test/evals/draw-seeds.ts';
import { processorMs } from '#test/evals/processor-time.ts';

/** One of each, with more than one form where the form decides what runs. */
const specs = [
  { equals: 'x', ignore: ['case', 'accents', 'punctuation', 'whitespace'] },
  { equals: 'x', read: 'answer' },
  { one_of: ['a', 'b'], ignore: ['punctuation'] },
  { contains: 'bbbbca', ignore: ['case', 'whitespace'] },
  { contains_all: Array.from({ length: 20 }, (_, at) => `${'b'.repeat(15_000)}ac${at}`) },
  { contains_any: ['zz', 'yy'] },
  { matches: '(a+)+$' },
  { matches: '(\\w+\\s?)*$', flags: 'ims' },
  { number: 5, within: 1, last: true },
  { choice: 'B', options: ['A', 'B', 'partly open', 'open'] },
  { json: { schema: { type: 'object' } } },
  {
    rows: [
      ['a', 'b'],
      ['b', 'c'],
    ],
    ignore: ['whitespace'],
  },
  { list: ['a', 'b'], order: 'any' },
  { length: 'words', max: 3 },
  { length: 'characters', max: 3 },
  { length: 'lines', max: 3 },
  { similar: 'rouge-l', to: ['a b '.repeat(1_900)], at_least: 0.5 },
  { similar: 'edit', to: ['a b '.repeat(1_900)], at_least: 0.5 },
  { refuses: true },
  { leaks: 'secret word' },
  { leaks: 'word-12345678' },
  { tool_calls: [] },
  { calls: { at_most: 1, never: ['a'], arguments: { a: { type: 'object' } } } },
  { order: ['a', 'b'] },
  { latency_s: 1 },
  { cost_usd: 1 },
  { all: [{ equals: 'x' }] },
  { any: [{ equals: 'x' }] },
  { not: { equals: 'x' } },
  { webhook: 'judge' },
  { judge: 'tone' },
];

/** Parts of replies that make readers begin something: markup, numbers, dates, encodings, marks, refusals. */
const units: readonly string[] = JSON.parse(String.raw`[
  "a", "a ", " ", "\n", "\r\n", "\t", "|", "| a ", "|-", "|  --", "- a\n", "1. ", "1,", "1 000 ", "\"",
  "\"a\",", "\\", "[", "{", "{\"a\":", "[1,", "\u0060", "\u0060\u0060\u0060\n", "\u0060\u0060\u0060\na\n\u0060\u0060\u0060\n", "<think>", "</think>", "<",
  "<|a|>", "&amp;", "*", "**a** ", "_", "# a\n", "\u0301", "e\u0301", "ﬁ", "\ud83d\udc4d", "ß", "\u200b", "B. ", ". ",
  "a, ", "A or B ", "not B. ", "I cannot help. ", "I will w, ", "(", "(a) ", "a=b\n", "$$", "\\boxed{",
  "answer: ", "yes ", "B (A is not) ", "5 million ", "5×10⁶ ", "-**5** ", "one hundred and ",
  "2024-01-01 ", "10:00 ", "%41", "aGVsbG8=", "01", "68 ", ".- ", "\\u0061", "> ", "![a](b)", "[a](",
  "http://a.b/", "<!--", "—", "“", "|a|\n|-|\n", "\u00a0", "١", "Ａ", "\u2028", "b"
]`);

const replyOf = (text: string) => ({ text, tool_calls: [], latencyMs: 1 });
const unlimited = () => new WorkBudget(Number.POSITIVE_INFINITY);

test('every grader is measured', () => {
  expect([...new Set(specs.map((spec) => graderName(spec)))].toSorted()).toEqual(
    graders.map(({ name }) => name).toSorted(),
  );
});

/** A reply as long as 16 others takes as long as all of them if the time is linear, and 16 times as long if quadratic. */
const shortOnes = 16;
const growthMax = 6;
/** Below this, the fixed costs of a call decide. */
const noticeableMs = 30;

test.each(specs.map((spec) => [JSON.stringify(spec).slice(0, 60), spec] as const))(
  'the time of %s is linear in the reply',
  async (_, spec) => {
    const grade = prepareGrader(spec, unlimited());
    const context = { judge: null, work: unlimited() };
    const random = createRandom(drawSeed('grading-work'), JSON.stringify(spec).slice(0, 60));
    const pairs = Array.from({ length: 6 }, () => random.pick(units) + random.pick(units));
    for (const unit of [...units, ...pairs]) {
      const textOf = (length: number) => `x${unit.repeat(Math.ceil(length / unit.length)).slice(0, length)}y`;
      const measure = (text: string) => processorMs(() => void grade(replyOf(text), context));
      const [short, long] = [textOf(4_000), textOf(4_000 * shortOnes)];
      if (measure(long) < noticeableMs) continue;
      // The same number of characters, in one reply and in many.
      const manyMs = Math.min(
        ...Array.from({ length: 3 }, () =>
          processorMs(() => {
            for (let count = 0; count < shortOnes; count += 1) void grade(replyOf(short), context);
          }),
        ),
      );
      const oneMs = Math.min(...Array.from({ length: 3 }, () => measure(long)));
      const isLinear = oneMs < noticeableMs || oneMs <= growthMax * manyMs;
      expect({ unit, isLinear, manyMs, oneMs }).toEqual({ unit, isLinear: true, manyMs, oneMs });
    }
  },
);

test('a text is found wherever it stands, and only there', () => {
  for (const seed of drawSeeds('has-text', 300)) {
    const random = createRandom(seed, 'text');
    // Two letters make many near misses.
    const part = random.text('ab', random.int(1, 3_000));
    const text =
      random.text('ab', 2_000) + (random.chance(0.5) ? part : part.slice(1)) + random.text('ab', 2_000);
    expect([seed, hasText(text, part, unlimited())]).toEqual([seed, text.includes(part)]);
  }
});

const slow = { similar: 'edit', to: ['b '.repeat(3_900)], at_least: 0.9 };
const nestedChoice = {
  any: Array.from({ length: 16 }, () => ({ all: Array.from({ length: 16 }, () => slow) })),
};

test('a reply that needs more than the budget stays ungraded, whatever the machine', async () => {
  const grade = prepareCase({ id: 'a', expect: [nestedChoice] });
  expect(await grade(sampleAsReply('c '.repeat(3_900)), { judge: null })).toEqual({
    ungraded: expect.stringContaining(`more than ${maxReplyWork} steps`),
    exhausted: 'work',
  });
});

test('generated cases of many graders end within the budget', async () => {
  for (const seed of drawSeeds('many-graders', 20)) {
    const random = createRandom(seed, 'case');
    const chosen = Array.from({ length: random.int(1, 32) }, () => random.pick(specs.slice(0, -1)));
    const text = random.pick(units).repeat(random.int(1, 60_000)).slice(0, 200_000);
    const grade = prepareCase({ id: 'a', expect: chosen });
    const before = process.threadCpuUsage();
    await grade(sampleAsReply(text), { judge: null });
    const { user, system } = process.threadCpuUsage(before);
    // The budget takes 0.1 s on a quiet machine.
    expect([seed, (user + system) / 1_000 < 1_500]).toEqual([seed, true]);
  }
});

test('a sample reply that cannot be graded, and graders that cannot be prepared, are faults', async () => {
  const faultsOf = async (made: object) => {
    const suite = { suite: 1, name: 'abc', cases: [{ prompt: 'x', ...made }] };
    const checked = await checkSuite(JSON.stringify(suite), 'json');
    return checked.ok ? [] : checked.faults.map(({ path, message }) => `${path}: ${message}`);
  };
  expect(await faultsOf({ expect: [nestedChoice], accepted: ['c '.repeat(3_900)] })).toEqual([
    expect.stringMatching(
      /^cases\[0\]\.accepted\[0\]: accepted\[0\] of case "case-[0-9a-f]+": Grading the reply takes more/,
    ),
  ]);
  const heavy = { matches: 'x{1000}'.repeat(140) };
  expect(await faultsOf({ expect: Array.from({ length: 32 }, () => heavy) })).toEqual([
    expect.stringMatching(/^cases\[0\]\.expect\[\d\]: .*Preparing the graders of the case takes more/),
  ]);
});
