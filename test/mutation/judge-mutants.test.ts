import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMutants } from './find-mutants.ts';
import { judgeMutants } from './judge-mutants.ts';

const subject = `export function countUpTo(end: number): number {
  let count = 0;
  while (count < end) count += 1;
  return count;
}

export const isFull = (taken: number, total: number): boolean => taken >= total;
`;

/** Does not test the boundary of `isFull`. */
const subjectTest = `import { expect, test } from 'bun:test';
import { countUpTo, isFull } from '../subject.ts';
test('counts', () => expect(countUpTo(3)).toBe(3));
test('is full', () => expect([isFull(2, 1), isFull(0, 1)]).toEqual([true, false]));
`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mutation-test-'));
  mkdirSync(join(folder, 'project', 'test'), { recursive: true });
  writeFileSync(join(folder, 'project', 'subject.ts'), subject);
  writeFileSync(join(folder, 'project', 'test', 'subject.test.ts'), subjectTest);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function judge(changes: readonly string[]): Promise<Record<string, string>> {
  const verdicts: Record<string, string> = {};
  await judgeMutants({
    project: join(folder, 'project'),
    copied: ['subject.ts', 'test'],
    mutants: findMutants('subject.ts', subject).filter(({ change }) => changes.includes(change)),
    stages: [{ tests: ['test'], postgres: false }],
    scratch: join(folder, 'scratch'),
    workers: 2,
    onVerdict: ({ change }, verdict) => {
      verdicts[change] = verdict;
    },
  });
  return verdicts;
}

test('a mutant that fails a test is killed, an undetected one survives, an endless one times out, and the project is unchanged', async () => {
  const verdicts = await judge(['>= → <', '>= → >', '1 → 2', '+= → -=']);
  expect(verdicts).toEqual({
    '>= → <': 'killed',
    '>= → >': 'survived',
    '1 → 2': 'killed',
    '+= → -=': 'timed out',
  });
  expect(readFileSync(join(folder, 'project', 'subject.ts'), 'utf8')).toBe(subject);
});

test('mutants are not judged if the tests fail without one', async () => {
  writeFileSync(join(folder, 'project', 'subject.ts'), subject.replace('count += 1', 'count += 2'));
  await expect(judge(['>= → >'])).rejects.toThrow('killed without a mutant');
});
