import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
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
