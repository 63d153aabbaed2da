/** Packs of data: drawn from a secret, read from a file, and used by policy cases and the weeks of agent runs. */
import { afterAll, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { categories, publicKinds } from '#evals/suite/index.ts';
import { findKindFaults } from '#evals/suite/packs/check-kind.ts';
import { loadPack, loadPacks } from '#evals/suite/packs/load-packs.ts';
import { checkOffice } from '#evals/suite/packs/office/check-office.ts';
import {
  drawOfficePack,
  officeOf,
  policyCategoryOf,
  readOfficePack,
} from '#evals/suite/packs/office/office-pack.ts';
import { makeOfficePack, writeOfficePack } from '#evals/suite/packs/office/write-office-pack.ts';
import { planRun } from '#evals/suite/plan-run.ts';
import { publicWords } from '#evals/week/manual/words.ts';
import type { Office } from '#evals/week/office.ts';
import { makeWeek } from '#evals/week/week.ts';
import { drawSeed, drawSeeds } from '../draw-seeds.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-hub-office-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const secret = drawSeed('office pack');
const data = drawOfficePack(secret);
const office = officeOf(data);

/** Making one takes seconds. */
let made: ReturnType<typeof makeOfficePack> | undefined;
const firstPack = () => (made ??= makeOfficePack(join(folder, 'empty'), 'a secret key'));

const linesOf = (seed: string, own?: Office) =>
  makeWeek(seed, { size: 'small', tasks: 1, ...(own === undefined ? {} : { office: own }) })
    .company.manual.pages
    // The chapters on how a manual is read are the same everywhere.
    .filter(({ chapter }) => !chapter.startsWith('1 '))
    .flatMap(({ text }) => text.split('\n'));

function runsOfSeven(lines: readonly string[]): Set<string> {
  const words =
    lines
      .join(' ')
      .toLowerCase()
      .match(/[\p{L}\d.]+/gu) ?? [];
  return new Set(words.slice(6).map((_, index) => words.slice(index, index + 7).join(' ')));
}

function shared(left: readonly string[], right: readonly string[]): number {
  const [own, other] = [runsOfSeven(left), runsOfSeven(right)];
  return [...own].filter((run) => other.has(run)).length / own.size;
}

test('the same secret draws the same pack, and another one other words, facts, thresholds and outcomes', () => {
  expect(drawOfficePack(secret)).toEqual(data);
  const other = drawOfficePack(`${secret}x`);
  expect(other.words.termAdjectives.filter((word) => data.words.termAdjectives.includes(word))).toEqual([]);
  for (const [index, { policy }] of data.chapters.entries()) {
    const same = other.chapters[index]?.policy;
    expect(JSON.stringify(same?.attributes)).not.toBe(JSON.stringify(policy.attributes));
    expect(same?.questions.map(({ effects }) => effects)).not.toEqual(
      policy.questions.map(({ effects }) => effects),
    );
  }
});

test('its manual shares few runs of seven words with a public one, and none of its clauses has a public form', () => {
  const [seed = '', next = ''] = drawSeeds('office manuals', 2);
  const [own, open] = [linesOf(seed, office), linesOf(next)];
  console.log(
    `runs of seven words shared with a public manual: ${(100 * shared(own, open)).toFixed(1)} %, between public ones: ${(100 * shared(linesOf(seed), open)).toFixed(1)} %`,
  );
  expect(shared(own, open)).toBeLessThan(0.06);
  const forms = publicWords.exceptionForms.map(
    (form) =>
      new RegExp(
        `^\\d+\\.\\d+ ${form.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, '(clause|number|what|paragraph|the rule|the general|the clause|.+?)')}`,
      ),
  );
  // The forms that a bot would have learned name the clause by a public reference.
  const named = /\b(clause|number|paragraph) \d|what \d[\d.]* says|the (general rule|rule|clause) on/i;
  const readable = (lines: readonly string[]) =>
    lines.filter((line) => named.test(line) && forms.some((form) => form.test(line))).length;
  expect(readable(open)).toBeGreaterThan(20);
  expect(readable(own)).toBe(0);
});

test('the reference passes every task of its weeks, and its policy kinds have no faults', () => {
  const [seed = ''] = drawSeeds('office weeks', 1);
  const { tasks, passed, faults } = checkOffice(office, [seed]);
  expect({ tasks, passed, faults }).toEqual({ tasks: 12, passed: 12, faults: [] });
  for (const kind of policyCategoryOf(data).kinds) expect(findKindFaults(kind, seed, [1, 5, 8])).toEqual([]);
});

test('a file of it is a pack with the hash of its content, and half of the policy cases come from it', async () => {
  const own = join(folder, 'installed');
  const file = writeOfficePack(own, firstPack());
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(own)).toEqual(['private-1.pack.json']);
  const pack = (await loadPack(own, publicKinds, { retired: false }))!;
  expect(pack).toMatchObject({ name: 'private-1', retired: false, norms: null });
  expect(pack.office?.words.rootLeads).toEqual(readOfficePack(readFileSync(file, 'utf8')).words.rootLeads);
  for (const runSize of [40, 120] as const) {
    const planned = planRun(
      categories,
      { seed: drawSeed('office run'), runSize },
      new Map(),
      pack.categories,
      Array.from({ length: runSize }, () => 3),
    );
    const unseen = planned.filter((one) => one.unseen === true);
    expect(unseen.map(({ category }) => category)).toEqual(
      Array.from({ length: (3 * runSize) / 40 }, () => 'policy'),
    );
    expect(new Set(unseen.map(({ kind }) => kind))).toEqual(new Set(['private-requests', 'private-review']));
  }
});

test('from the same secret, the pack after a retired one is another one', () => {
  const own = join(folder, 'next');
  const first = firstPack();
  mkdirSync(join(own, 'retired', 'private-1-0'), { recursive: true });
  writeOfficePack(join(own, 'retired', 'private-1-0'), first);
  const second = makeOfficePack(own, 'a secret key');
  expect([first.name, second.name, first.faults, second.faults]).toEqual(['private-1', 'private-2', [], []]);
  expect(second.data).not.toEqual(first.data);
});

test.each([
  ['no JSON', () => 'words', /it is no JSON/],
  ['another format', () => JSON.stringify({ ...data, format: 'x' }), /\/format/],
  [
    'a chapter that is missing',
    () => JSON.stringify({ ...data, chapters: data.chapters.slice(1) }),
    /needs one chapter `refunds`/,
  ],
  [
    'a fact without a place',
    () =>
      JSON.stringify({
        ...data,
        chapters: data.chapters.map((one) => ({ ...one, places: one.places === null ? null : {} })),
      }),
    /has no place for/,
  ],
  [
    'a question that no tool takes',
    () =>
      JSON.stringify({
        ...data,
        chapters: data.chapters.map((one) => ({
          ...one,
          policy: { ...one.policy, questions: one.policy.questions.slice(1) },
        })),
      }),
    /must have the questions share, fee/,
  ],
])('a process does not start with a file that has %s', async (name, content, message) => {
  const own = join(folder, name.replaceAll(' ', '-'));
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'private-1.pack.json'), content());
  expect(loadPack(own, publicKinds, { retired: false })).rejects.toThrow(message);
});

test('a retired office that this version cannot read is left out, and does not stop a process', async () => {
  const own = join(folder, 'old');
  mkdirSync(join(own, 'retired', 'private-1-0'), { recursive: true });
  writeFileSync(join(own, 'retired', 'private-1-0', 'private-1.pack.json'), '{}');
  expect(await loadPacks(own, publicKinds)).toEqual({ installed: null, retired: [] });
  expect(existsSync(join(own, 'retired', 'private-1-0', 'private-1.pack.json'))).toBe(true);
});
