/** The named steps of the work are steps that the code really takes. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { crashPoints } from '#runtime/process/crash-points.ts';

const root = join(import.meta.dirname, '..', '..');
const sources = new Bun.Glob('{api,actors,db,domain,runtime,workers}/**/*.ts');

test('every crash point is a place in the code, and is the one of its name in each process, save for the two stores', async () => {
  const passed: string[] = [];
  for await (const file of sources.scan(root)) {
    const text = await Bun.file(join(root, file)).text();
    passed.push(...[...text.matchAll(/\bcrashPoint\('([^']+)'\)/g)].map(([, name = '']) => name));
  }
  const perStore = crashPoints.filter((name) => name.startsWith('transaction.'));
  expect(passed.toSorted()).toEqual([...crashPoints, ...perStore].toSorted());
});
