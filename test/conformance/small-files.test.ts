/**
 * A reader opens one file for one idea: a short file that only one other file imports belongs into that file, unless it
 * is a concept of its own.
 */
import { expect, test } from 'bun:test';
import { dirname, join, normalize } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';

/** A file with fewer lines is short. */
const linesMin = 40;

/** Files that a registry lists, one line each. Each is a unit of its own, however short. */
const registered: readonly RegExp[] = [
  /^api\/routes\/[\w-]+\.ts$/,
  /^cli\/hub\/groups\/[\w-]+\.ts$/,
  /^db\/schema\/[\w-]+-tables\.ts$/,
  /^domain\/events\/commands\/[\w-]+\.ts$/,
  /^evals\/week\/(attacks|families)\/[\w-]+\.ts$/,
  /^site\/pages\/.*\.tsx$/,
  /^workers\/[\w-]+\/pool\.ts$/,
  // The registry of the pools.
  /^workers\/pools\.ts$/,
];

/** Concepts of their own, each with the reason. */
const concepts: Readonly<Record<string, string>> = {
  'cli/check-stores.ts': 'a program that runs in a process of its own',
  'db/read-version.ts': 'a question whose answer depends on the dialect, which only db/ names',
  'domain/runs/products/eval-run/describe-rules.ts': 'rules of runs in words, which a route shows',
  'domain/suites/check-program.ts': 'a program that runs in a thread of its own',
  'evals/suite/load-task-files.ts': 'a module that the build replaces',
  'evals/suite/packs/author-tools.ts': 'an export of the package',
  'evals/suite/tasks/policy/readings.ts': 'how readers go wrong, beside the request that they read',
  'runtime/settings/setting-names.ts': 'all names of settings, which tests read as well',
  'runtime/redis/replication-id.ts': 'how Redis names its data, which tests read as well',
};

const folders = 'actors,api,cli,client,db,domain,evals,runtime,site,workers';
const paths = [...new Bun.Glob(`{${folders}}/**/*.{ts,tsx,mjs}`).scanSync({ cwd: projectFolder })].filter(
  (path) => !/\.d\.m?ts$|node_modules/.test(path),
);
const sources = new Map(
  await Promise.all(
    paths.map(async (path) => [path, await Bun.file(join(projectFolder, path)).text()] as const),
  ),
);

const importersOf = new Map<string, Set<string>>();
for (const [path, text] of sources) {
  for (const [, name = ''] of text.matchAll(/(?:\bfrom |\bimport\(|^import )'([#.][^']+)'/gm)) {
    const imported = name.startsWith('#')
      ? name.slice(1).replace(/^client\//, 'client/src/')
      : normalize(join(dirname(path), name));
    importersOf.set(imported, (importersOf.get(imported) ?? new Set()).add(path));
  }
}

const isShortWithOneImporter = (path: string): boolean =>
  (sources.get(path) ?? '').split('\n').length <= linesMin && importersOf.get(path)?.size === 1;

test('a short file with one importer is a concept of its own', () => {
  expect(sources.size).toBeGreaterThan(600);
  const found = paths.filter(
    (path) =>
      isShortWithOneImporter(path) && !registered.some((form) => form.test(path)) && !(path in concepts),
  );
  expect(found.toSorted()).toEqual([]);
});

test('every listed concept is still a short file with one importer', () => {
  expect(Object.keys(concepts).filter((path) => !isShortWithOneImporter(path))).toEqual([]);
});
