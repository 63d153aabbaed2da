/** The README names all that there is to set, to run and to install, so that nobody has to read the code for it. */
import { expect, test } from 'bun:test';
import { settingNames } from '#test/harness/setting-names.ts';
import { poolNames } from '#workers/pool-registry.ts';
import packageJson from '../../package.json' with { type: 'json' };

const readme = await Bun.file(new URL('../../README.md', import.meta.url)).text();

function missing(names: Iterable<string>, form: (name: string) => string): string[] {
  return [...names].filter((name) => !readme.includes(form(name)));
}

test('every setting that the hub reads is in the README', () => {
  const read = settingNames();
  expect(read.size).toBeGreaterThan(20);
  expect(missing(read, (name) => `\`${name}\``)).toEqual([]);
});

test('every pool can be started by a line of the README', () => {
  expect(missing(poolNames, (name) => `--pool ${name}`)).toEqual([]);
});

test('every package is in the README', () => {
  const packages = Object.keys({ ...packageJson.dependencies, ...packageJson.devDependencies });
  expect(missing(packages, (name) => `\`${name}\``)).toEqual([]);
});

test('every script of package.json is in the README', () => {
  const short = new Set(['start', 'test']);
  const command = (name: string): string => (short.has(name) ? `npm ${name}` : `npm run ${name}`);
  expect(missing(Object.keys(packageJson.scripts), command)).toEqual([]);
});
