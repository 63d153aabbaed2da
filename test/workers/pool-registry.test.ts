/** The registry of pools and the files generated from it. */
import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { concurrencyMax } from '#workers/arguments.ts';
import { poolNames, pools } from '#workers/pool-registry.ts';

test('every folder of workers/ is a pool under its own name', () => {
  // Several pools share the turns for calling addresses.
  const shared = new Set(['turns']);
  const folders = readdirSync(join(projectFolder, 'workers'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !shared.has(entry.name))
    .map(({ name }) => name);
  expect(folders.toSorted()).toEqual([...poolNames].toSorted());
});

test('every pool can start within its own bounds', () => {
  for (const name of poolNames) {
    const { concurrency, drainTimeoutMs } = pools[name];
    expect([name, concurrency >= 1 && concurrency <= concurrencyMax]).toEqual([name, true]);
    // `npm start` kills a worker 30 seconds after it was told to stop.
    expect([name, drainTimeoutMs < 30_000]).toEqual([name, true]);
  }
});

test('the files in deploy/ and docs/ match the pools', () => {
  const check = Bun.spawnSync([process.execPath, join('cli', 'pools.ts'), '--check'], { cwd: projectFolder });
  expect([check.exitCode, check.stderr.toString()]).toEqual([0, '']);
});
