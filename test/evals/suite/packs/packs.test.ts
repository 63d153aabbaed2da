/** Private packs: valid folders, the findings of the check, and the cases of a run that come from them. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareKinds, fisherP } from '#evals/suite/compare-kinds.ts';
import { categories, publicKinds } from '#evals/suite/index.ts';
import { checkPack } from '#evals/suite/packs/check-pack.ts';
import { loadPack, loadPacks } from '#evals/suite/packs/load-packs.ts';
import { exampleKinds, type Pack } from '#evals/suite/packs/pack.ts';
import { readPackNorms, writePackNorms } from '#evals/suite/packs/pack-norms.ts';
import { planRun } from '#evals/suite/plan-run.ts';
import { normsWith } from '#evals/suite/norms.ts';
import { projectFolder } from '#runtime/project-files.ts';
import { drawSeeds } from '../draw-seeds.ts';

const example = join(projectFolder, 'evals', 'suite', 'example-pack');
const isLong = Number(process.env['SUITE_RUNS'] ?? 0) > 0;
const seeds = drawSeeds('packs', 3).slice(0, 60);
setDefaultTimeout(isLong ? 900_000 : 60_000);
let folder: string;
let pack: Pack;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agent-hub-packs-'));
  pack = (await loadPack(example, new Set(), { retired: false }))!;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A kind whose answer is a drawn number, in as many categories as a pack needs. */
function writePack(name: string, changes: Readonly<Record<string, string>> = {}): string {
  const own = join(folder, name);
  mkdirSync(own, { recursive: true });
  for (const category of ['context', 'text']) {
    const source = `import { exactTask } from 'agent-hub/eval-suite';
import { draw } from './_shared.ts';
export const category = { name: '${category}', description: 'Test.', kinds: [{ name: 'test-${category}', make: (random) =>
  exactTask({ prompt: 'Say the number that I think of, ' + draw(random) + '.', type: 'number', value: String(draw(random)), skill: 'test', mistakes: ['0'] }) }] };`;
    writeFileSync(join(own, `autumn.${category}.ts`), changes[category] ?? source);
  }
  writeFileSync(join(own, '_shared.ts'), 'export const draw = (random) => random.int(1000, 9999);');
  return own;
}

test('the example pack passes its check, and its kinds are the ones that no pack can have', () => {
  expect(pack.categories.flatMap(({ kinds }) => kinds.map(({ name }) => name)).toSorted()).toEqual(
    [...exampleKinds].toSorted(),
  );
  const { oracle, style, wrongPassed, mostGuessed, norms, faults, tasks } = checkPack(pack.categories, seeds);
  console.log(
    `example pack: ${tasks} tasks, oracle ${oracle}, styles ${style}, wrong passed ${wrongPassed}, guessed ${mostGuessed.toFixed(1)} %, ${[...norms].map(([name, score]) => `${name} ${score.toFixed(1)}`).join(', ')}`,
  );
  expect(norms.get('template bot')).toBeLessThanOrEqual(25);
  expect({ oracle, style, wrongPassed, faults: isLong ? faults : [] }).toEqual({
    oracle: 100,
    style: 100,
    wrongPassed: 0,
    faults: [],
  });
});

test('a pack has the name and the hash of its files, wherever it is, and files with `_` hold shared code', async () => {
  const loaded = (await loadPack(writePack('one'), publicKinds, { retired: false }))!;
  expect(loaded).toMatchObject({ name: 'autumn', retired: false, norms: null });
  expect(loaded.hash).toMatch(/^[0-9a-f]{16}$/);
  const packs = join(folder, 'installed');
  mkdirSync(join(packs, 'retired'), { recursive: true });
  cpSync(join(folder, 'one'), join(packs, 'retired', 'old'), { recursive: true });
  const { installed, retired } = await loadPacks(packs, publicKinds);
  expect([installed, retired.map(({ name, hash, retired: old }) => [name, hash, old])]).toEqual([
    null,
    [['autumn', loaded.hash, true]],
  ]);
  const changed = writePack('two');
  writeFileSync(join(changed, '_shared.ts'), 'export const draw = (random) => random.int(1000, 9998);');
  expect((await loadPack(changed, publicKinds, { retired: false }))!.hash).not.toBe(loaded.hash);
  expect(await loadPacks(join(folder, 'nowhere'), publicKinds)).toEqual({ installed: null, retired: [] });
});

test('norms that were measured with other content do not count', async () => {
  const own = writePack('normed');
  const { hash } = (await loadPack(own, publicKinds, { retired: false }))!;
  writePackNorms(own, hash, new Map([['echo', 4]]));
  const loaded = (await loadPack(own, publicKinds, { retired: false }))!;
  const echo = normsWith(null).find(({ name }) => name === 'echo')!;
  expect(normsWith(loaded).find(({ name }) => name === 'echo')).toEqual({
    ...echo,
    score: Number((0.8 * echo.known + 0.2 * 4).toFixed(1)),
    unseen: 4,
  });
  expect(readPackNorms(own, '0'.repeat(16))).toBe(null);
});

describe('a process does not start with', () => {
  const kind = (body: string, name = 'mine') =>
    `export const category = { name: 'text', description: 'x', kinds: [{ name: '${name}', make: ${body} }] };`;
  const task = (changes: string) =>
    `() => ({ turns: ['Say yes or no.'], expected: 'yes', answer: null, accepted: [['yes']], refused: [['no']], grade: ([text]) => ({ score: text === 'yes' ? 1 : 0, passed: text === 'yes', found: text, checks: [{ name: 'x', passed: text === 'yes', message: '' }] }), ${changes} })`;
  test.each([
    ['a file that exports no category', 'export const nothing = 1;', /exports no valid `category`/],
    ['a file that cannot be parsed', 'export const = 1;', /cannot be loaded/],
    [
      'a category that is not on the ladder',
      kind('() => null').replace("'text'", "'cooking'"),
      /no category "cooking"/,
    ],
    ['a public kind', kind(task(''), 'sort'), /the kind sort is public/],
    ['a kind of the example', kind(task(''), 'yard-walk'), /the kind yard-walk is public/],
    ['two kinds of one name', kind(task(''), 'test-context'), /two kinds are called test-context/],
    ['a kind that throws', kind("() => { throw new Error('broken') }"), /it throws broken/],
    [
      'a kind with another source of randomness',
      kind(task('turns: [String(Math.random()).repeat(3)]')),
      /different tasks/,
    ],
    ['an oracle that fails', kind(task("accepted: [['maybe']]")), /an accepted reply gets 0/],
    ['a wrong reply that passes', kind(task("refused: [['yes']]")), /a refused reply gets 1/],
    [
      'a reply without a check',
      kind(task('grade: () => ({ score: 0, passed: false, found: null, checks: [] })')),
      /without a check/,
    ],
  ])('%s', async (name, text, message) => {
    const own = writePack(name.replaceAll(' ', '-').toLowerCase(), { text });
    expect(loadPack(own, publicKinds, { retired: false })).rejects.toThrow(message);
  });

  test('the example pack, or one with too few categories', async () => {
    expect(loadPack(example, publicKinds, { retired: false })).rejects.toThrow(/cannot count as unseen/);
    const own = writePack('narrow');
    rmSync(join(own, 'autumn.context.ts'));
    expect(loadPack(own, publicKinds, { retired: false })).rejects.toThrow(/have 1 of a run's 40 cases/);
    writeFileSync(join(own, 'Autumn Notes.ts'), '');
    expect(loadPack(own, publicKinds, { retired: false })).rejects.toThrow(/lower-case letters/);
  });
});

test('the check finds a strict grader, a lax one, and an answer that can be guessed', () => {
  const [{ kinds }] = pack.categories.filter(({ name }) => name === 'reasoning') as [
    Pack['categories'][number],
  ];
  const [stones] = kinds as [(typeof kinds)[number]];
  const checked = (grade: (text: string, right: string) => boolean, expected?: string) =>
    checkPack(
      [
        {
          name: 'reasoning',
          description: '',
          kinds: [
            {
              name: 'changed',
              make: (random, level, limits) => {
                const task = stones.make(random, level, limits);
                const right = expected ?? task.expected;
                return {
                  ...task,
                  expected: right,
                  accepted: [[`Answer: ${right}`]],
                  answer: { type: 'number', value: right },
                  refused: [['Answer: -1']],
                  grade: ([text = '']) => {
                    const passed = grade(text, right);
                    return {
                      score: Number(passed),
                      passed,
                      found: null,
                      checks: [{ name: 'x', passed, message: '' }],
                    };
                  },
                };
              },
            },
          ],
        },
      ],
      drawSeeds('guessing', 12).slice(0, 12),
    );
  expect(checked((text, right) => text === `Answer: ${right}`).style).toBeLessThan(100);
  expect(
    checked((text, right) => text.startsWith('Answer:') && text.includes(right)).wrongPassed,
  ).toBeGreaterThan(0);
  const guessed = checked((text, right) => text.includes(`Answer: ${right}`), '7');
  expect(guessed.faults.join('\n')).toMatch(/One answer is right for 100.0%/);
  expect(guessed.faults.join('\n')).toMatch(/"best constant" scores 100.0/);
});

describe.each([40, 120] as const)('a run of %d cases with a pack', (runSize) => {
  const everything = new Map(Array.from({ length: runSize }, (_, index) => [index, 1]));
  const plan = (seed: string, own: Pack['categories'] = pack.categories) =>
    planRun(categories, { seed, runSize }, everything, own);

  test('takes a fifth of them from it, in their categories and from every kind, and the others as before', () => {
    for (const seed of seeds.slice(0, 20)) {
      const planned = plan(seed);
      const unseen = planned.filter((one) => one.unseen === true);
      expect(unseen).toHaveLength(runSize / 5);
      expect(plan(seed)).toEqual(planned);
      expect(new Set(unseen.map(({ kind }) => kind)).size).toBe(exampleKinds.length);
      const without = plan(seed, []);
      expect(planned.map(({ id, category, level }) => [id, category, level])).toEqual(
        without.map(({ id, category, level }) => [id, category, level]),
      );
      for (const { category, kind } of unseen) {
        const own = pack.categories.find(({ name }) => name === category)?.kinds ?? [];
        expect(own.map(({ name }) => name)).toContain(kind);
      }
    }
  });
});

test('a gap is a difference that occurs by chance less than once in a hundred', () => {
  // Tables from the literature: Fisher's tea, and 1/9 against 11/3.
  expect(fisherP(3, 4, 1, 4)).toBeCloseTo(0.4857, 4);
  expect(fisherP(1, 10, 11, 14)).toBeCloseTo(0.002759, 6);
  expect(fisherP(0, 5, 0, 8)).toBe(1);
  const result = (unseen: boolean, passed: boolean) =>
    ({
      category: 'text',
      score: Number(passed),
      status: passed ? 'passed' : 'failed',
      ...(unseen ? { unseen } : {}),
    }) as never;
  const run = (known: number, unseen: number) => [
    ...Array.from({ length: 32 }, (_, index) => result(false, index < known)),
    ...Array.from({ length: 8 }, (_, index) => result(true, index < unseen)),
  ];
  expect(compareKinds(run(28, 1))).toMatchObject({ known: { score: 87.5, cases: 32 }, gap: true });
  expect(compareKinds(run(20, 4)).gap).toBe(false);
  expect(compareKinds(run(0, 8)).gap).toBe(false);
  expect(compareKinds(run(20, 4).slice(0, 32))).toMatchObject({ unseen: null, gap: false, p: null });
});
