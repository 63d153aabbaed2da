/** The journeys that ARCHITECTURE draws are those of the code: each file leads to the next. */
import { expect, test } from 'bun:test';
import { dirname, join, normalize } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';

const read = (path: string): Promise<string> => Bun.file(join(projectFolder, path)).text();
const sources = [...new Bun.Glob('{actors,api,domain,workers}/**/*.ts').scanSync({ cwd: projectFolder })];
const page = await read('ARCHITECTURE.md');
const rows = (page.split('| Step ')[1] ?? '').split('\n').filter((line) => /^\|.*\.ts`/.test(line));

/** The files of one column of the table, from top to bottom. */
function filesOf(column: 1 | 2): string[] {
  return rows.flatMap((row) =>
    [...(row.split('|')[column + 1] ?? '').matchAll(/`([\w/-]+\.ts)`/g)].map(([, name = '']) => name),
  );
}

async function importsOf(path: string): Promise<string[]> {
  const text = await read(path);
  return [...text.matchAll(/(?:from |import\()'([#.][^']+)'/g)].map(([, name = '']) =>
    name.startsWith('#') ? name.slice(1) : normalize(join(dirname(path), name)),
  );
}

const folders = { 1: /^(api|domain|workers\/eval-runner)\//, 2: /^(api|actors|domain\/(events|tokens))\// };

const everywhere = [
  ...new Bun.Glob('{actors,api,cli,db,domain,evals,runtime,site,workers}/**/*.{ts,tsx}').scanSync(
    projectFolder,
  ),
];

test('ARCHITECTURE names only files that exist', () => {
  const named = [...page.matchAll(/`([\w/-]+\.tsx?)`/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(40);
  const missing = named.filter((name) => !everywhere.some((path) => `/${path}`.endsWith(`/${name}`)));
  expect(missing).toEqual([]);
});

/** Files that no file of the journey imports: where it begins, and what a registry, a job or a process leads to. */
const beginnings: readonly string[] = [
  'routes/redemptions.ts',
  'routes/event-seats.ts',
  'pipeline.ts',
  // From the registry of products.
  'products/eval-run.ts',
  // By the job of the run.
  'start-eval-runner.ts',
  // The process gives it to the endpoints.
  'actor-client.ts',
  // By the wake of the event.
  'actor-worker.ts',
];

test.each([
  ['a run', 1, /opens these (\d+) files/],
  ['a seat', 2, /reserved seat (\d+)\./],
] as const)('the journey of %s has as many files as it says, and each leads to another', async (...given) => {
  const [, column, said] = given;
  const names = filesOf(column);
  expect(names).toHaveLength(Number(said.exec(page)?.[1]));
  const found = names.map((name) =>
    sources.filter((path) => folders[column].test(path) && path.endsWith(`/${name}`)),
  );
  expect(found.map((paths) => paths.length)).toEqual(names.map(() => 1));
  const paths = found.flat();
  const imported = new Set((await Promise.all(paths.map(importsOf))).flat());
  const lost = names.filter((name, place) => !imported.has(paths[place] ?? '') && !beginnings.includes(name));
  expect(lost).toEqual([]);
});
