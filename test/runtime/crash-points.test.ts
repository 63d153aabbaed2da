/** Every named crash point exists in the code. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { crashPoints } from '#runtime/process/crash-points.ts';

const root = join(import.meta.dirname, '..', '..');
const sources = new Bun.Glob('{api,actors,db,domain,runtime,workers}/**/*.ts');

test('every crash point appears once in the code, or once per store', async () => {
  const passed: string[] = [];
  for await (const file of sources.scan(root)) {
    const text = await Bun.file(join(root, file)).text();
    passed.push(...[...text.matchAll(/\bcrashPoint\('([^']+)'\)/g)].map(([, name = '']) => name));
  }
  const perStore = crashPoints.filter((name) => name.startsWith('transaction.'));
  expect(passed.toSorted()).toEqual([...crashPoints, ...perStore].toSorted());
});
