/** The hub's own packages are pinned, and every way to leave a package unpinned is reported. */
import { expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findUnpinned, type Lock, type Manifest } from '#cli/dependencies/find-unpinned.ts';
import { projectFolder } from '#runtime/project-files.ts';

const read = (name: string) => readFile(join(projectFolder, name), 'utf8');
const manifest = JSON.parse(await read('package.json')) as Manifest;
const lock = Bun.JSONC.parse(await read('bun.lock')) as Lock;

function lockWith(name: string, change: (entry: unknown[]) => unknown[]): Lock {
  return { ...lock, packages: { ...lock.packages, [name]: change([...lock.packages[name]!]) } };
}

test('every version in package.json is exact and matches the lock file', () => {
  expect(findUnpinned(manifest, lock)).toEqual([]);
  expect(Object.keys(lock.packages).length).toBeGreaterThan(300);
});

test.each(['^10.4.0', '~10.4.0', '>=10.4.0', '10.x', '10', '*', 'latest', '', '10.4.0 || 11.0.0'])(
  '%p is not an exact version',
  (version) => {
    const asked = { ...manifest, dependencies: { ...manifest.dependencies, pino: version } };
    expect(findUnpinned(asked, lock)[0]).toStartWith('package.json names pino');
  },
);

test.each([
  'git+https://x.example/pino.git',
  'https://x.example/pino.tgz',
  'file:../pino',
  'npm:other@1.0.0',
])('a package from outside the registry is not pinned: %s', (version) => {
  const asked = { ...manifest, devDependencies: { ...manifest.devDependencies, pino: version } };
  expect(findUnpinned(asked, lock)[0]).toContain('use an exact version');
});

test('a lock file with other versions or other packages is reported', () => {
  const other = { ...manifest, dependencies: { ...manifest.dependencies, pino: '99.0.0' } };
  expect(findUnpinned(other, lock)).toHaveLength(2);
  const { pino: _pino, ...fewer } = manifest.dependencies;
  expect(findUnpinned({ ...manifest, dependencies: fewer }, lock)).toEqual([
    'bun.lock was created with different dependencies: pino differs; run `bun install`.',
  ]);
  const moved = lockWith('pino', ([, ...rest]) => ['pino@0.0.1', ...rest]);
  expect(findUnpinned(manifest, moved)).toHaveLength(1);
});

test('a locked package with a missing or weak digest, or from outside the registry, is reported', () => {
  const faults = [
    lockWith('pino', (entry) => entry.with(3, '')),
    lockWith('pino', (entry) => entry.with(3, 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=')),
    lockWith('pino', (entry) => entry.with(1, 'https://x.example/pino.tgz')),
    lockWith('pino', ([name]) => [name]),
  ].map((changed) => findUnpinned(manifest, changed));
  for (const fault of faults)
    expect(fault).toEqual(['bun.lock has no SHA-512 for pino, or gets it from outside the registry.']);
});

test('package.json and the lock file name the same packages that may run install scripts', () => {
  const trusting = { ...manifest, trustedDependencies: [...manifest.trustedDependencies, 'pino'] };
  expect(findUnpinned(trusting, lock)).toHaveLength(1);
});

test('docs/libraries.md lists every production package, and no other', async () => {
  const table = (await read('docs/libraries.md')).split('\n').filter((line) => line.startsWith('| `'));
  const named = table.flatMap((line) =>
    [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
  );
  const isNamed = (name: string) => named.some((one) => one === name || one === name.replace(/\/.*/, '/*'));
  const dependencies = Object.keys(manifest.dependencies);
  expect(dependencies.filter((name) => !isNamed(name))).toEqual([]);
  const group = (one: string) => dependencies.some((name) => name.startsWith(one.slice(0, -1)));
  expect(named.filter((one) => !(one.endsWith('/*') ? group(one) : dependencies.includes(one)))).toEqual([]);
});
