/** Every draft of a generator is complete, open and not guessable. `npm run test:suite` tries 10,000 per generator. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { countTokens } from '#evals/count-tokens.ts';
import { ladderLevels } from '#evals/suite/ladder/ladder.ts';
import { createRandom } from '#evals/random.ts';
import type { Task, TaskLimits } from '#evals/suite/task.ts';
import { drawSeeds } from '../draw-seeds.ts';
import { timeWork } from '../processor-time.ts';
import { drawTask, kindsOf } from './task-figures.ts';

const isLong = Number(process.env['SUITE_RUNS'] ?? 0) > 0;
const names = ['reasoning', 'execution', 'context', 'calibration'];
const seeds = drawSeeds('sound drafts', 8);
/** Five levels of two thousand seeds. */
const manySeeds = isLong ? [...seeds, ...drawSeeds('more sound drafts', 1_000)].slice(0, 2_000) : seeds;
const short: TaskLimits = { maxPromptTokens: 8_000 };
setDefaultTimeout(isLong ? 1_800_000 : 60_000);

/** The problems of a task that its text and its answer reveal. */
function faultsOf({ turns, answer, expected, accepted, refused }: Task): string[] {
  const prompt = turns.join('\n');
  const items = typeof answer?.value === 'string' ? [answer.value] : (answer?.value ?? []);
  const faults = {
    'a hole in the prompt': /undefined|\bNaN\b|null|Infinity|\[object| {2}|: \n| ,|\(\)| \./.test(prompt),
    'no answer': items.length === 0 || items.some((item) => item.trim() === ''),
    'the answer in the prompt': answer?.type === 'list' && prompt.includes(items.join(', ')),
    'an item twice': answer?.type === 'set' && new Set(items).size < items.length,
    'too few replies': accepted.length < 3 || refused.length < 3,
    'an unlike text': expected !== items.join(', '),
  };
  return Object.entries(faults).flatMap(([fault, isFound]) => (isFound ? [fault] : []));
}

describe.each(kindsOf(names))('the drafts of $category/$kind.name', ({ category, kind }) => {
  test('have no holes, no answer in sight, and no answer that a constant guesses', () => {
    let drafts = 0;
    for (const level of ladderLevels) {
      const answers = new Map<string, number>();
      for (const seed of manySeeds) {
        const task = kind.make(createRandom(seed, `${kind.name}/${level}`), level, short);
        drafts += 1;
        answers.set(task.expected, (answers.get(task.expected) ?? 0) + 1);
        expect({ category, seed, level, faults: faultsOf(task) }).toEqual({
          category,
          seed,
          level,
          faults: [],
        });
      }
      // Four standard errors, so that chance alone does not fail a test of few drafts.
      const most = 0.05 + 4 * Math.sqrt((0.05 * 0.95) / manySeeds.length);
      expect(Math.max(...answers.values()) / manySeeds.length).toBeLessThanOrEqual(most);
    }
    console.log(`degenerate: 0 of ${drafts} drafts (${category}/${kind.name})`);
  });
});

test.each([8_000, 32_000, 128_000] as const)(
  'prompts stay within %d tokens, and long ones come near',
  (cap) => {
    for (const { kind } of kindsOf(['context'])) {
      const sizes = ladderLevels.map((level) => {
        const task = kind.make(createRandom(seeds[0] ?? '', `${kind.name}/${level}`), level, {
          maxPromptTokens: cap,
        });
        return countTokens(task.turns.join('\n'));
      });
      expect(Math.max(...sizes)).toBeLessThanOrEqual(cap);
      expect(Math.max(...sizes)).toBeGreaterThan(0.85 * Math.min(cap, 120_000));
      expect(sizes[0]).toBeLessThanOrEqual(2_000);
    }
  },
);

test('grading takes at most 20 ms for hostile replies of 256 KiB', () => {
  const size = 262_144;
  const filled = (part: string) => part.repeat(Math.ceil(size / part.length)).slice(0, size);
  const hostile = [
    'Answer: ',
    '1, ',
    'unknown, ',
    '<think>',
    '**',
    '\\boxed{',
    '{"answer": [',
    '| a ',
    '> ',
    '- x\n',
    '((((',
    '\n',
    'Answer: 1\n',
    '```\n',
    'not ',
    'Ana or ',
    '1. 1\n2. 2\n',
    '$\\text{',
    '</think>',
    'a=1;',
  ].map(filled);
  let slowest = 0;
  const tasks = kindsOf(names).map(({ kind }) => drawTask(kind, 3, seeds[0] ?? ''));
  // The type of an answer decides how a reply is read, so one task of each is enough.
  const byType = new Map(tasks.map((task) => [task.answer?.type, task]));
  for (const task of byType.values()) {
    for (const reply of hostile) {
      const timing = timeWork(20, 8, () => task.grade([reply]));
      slowest = Math.max(slowest, timing.ms);
      expect({ reply: reply.slice(0, 20), ...timing }).toMatchObject({ fast: true });
    }
  }
  console.log(`slowest grading of a hostile reply: ${slowest.toFixed(1)} ms of processor time`);
});
