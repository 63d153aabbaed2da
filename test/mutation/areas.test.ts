import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { areas } from './areas.ts';

test('every area names existing files and tests', () => {
  const project = join(import.meta.dirname, '..', '..');
  for (const { subjects, stages } of areas) {
    for (const pattern of subjects)
      expect([pattern, ...new Bun.Glob(pattern).scanSync(project)]).not.toEqual([pattern]);
    const tests = stages.flatMap((stage) => stage.tests);
    expect(tests.filter((path) => !existsSync(join(project, path)))).toEqual([]);
  }
});

test('every defence is in the code once, with a test of its own', () => {
  const project = join(import.meta.dirname, '..', '..');
  const read = (path: string): string => readFileSync(join(project, path), 'utf8');
  const faults = areas
    .flatMap(({ defences = [] }) => defences)
    .filter(({ file, code, without, test: [path, name] }) => {
      const isOnce = read(file).split(code).length === 2 && !without.includes(code);
      return !isOnce || !new RegExp(`test\\(\\s*['"\`]${RegExp.escape(name)}`).test(read(path));
    });
  expect(faults.map(({ attack }) => attack)).toEqual([]);
});
