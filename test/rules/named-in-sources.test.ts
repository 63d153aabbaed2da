/** What comments and guides name exists: files of the sources, commits and tags, and checks of generated files. */
import { expect, test } from 'bun:test';
import { basename, join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';

const folders = 'actors,api,bench,cli,client,db,docs,domain,evals,runtime,site,test,workers';
const paths = [...new Bun.Glob(`{${folders}}/**/*.{ts,tsx,mjs}`).scanSync({ cwd: projectFolder })].filter(
  (path) => !path.includes('node_modules'),
);
const sources = await Promise.all(
  paths.map(async (path) => ({ path, text: await Bun.file(join(projectFolder, path)).text() })),
);
const names = new Set(paths.map((path) => basename(path)));

const commentsOf = (text: string): string =>
  [...text.matchAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/ .*/g)].map(([comment]) => comment).join('\n');

test('every source file that a comment names exists', () => {
  expect(names.size).toBeGreaterThan(800);
  const missing = sources.flatMap(({ path, text }) =>
    [...commentsOf(text).matchAll(/`(?:[\w./-]*\/)?([\w.-]+\.tsx?)`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !names.has(name))
      .map((name) => [path, name]),
  );
  expect(missing).toEqual([]);
});

test('every commit or tag that a command offers exists', async () => {
  const git = (commit: string): boolean =>
    Bun.spawnSync(['git', 'rev-parse', '--verify', '--quiet', `${commit}^{commit}`], { cwd: projectFolder })
      .exitCode === 0;
  const guides = await Promise.all(
    ['*.md', 'docs/**/*.md']
      .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: projectFolder })])
      .map(async (path) => ({
        path,
        text: await Bun.file(join(projectFolder, path)).text(),
      })),
  );
  const offered = [...guides, ...sources].flatMap(({ path, text }) =>
    [...text.matchAll(/PREVIOUS=([\w.-]*\w)/g)].map(([, commit = '']) => ({ path, commit })),
  );
  // COMMIT stands for one that the reader chooses.
  expect(offered.filter(({ commit }) => commit !== 'COMMIT' && !git(commit))).toEqual([]);
});

test('`npm run check` compares every file that a program of the project generates', async () => {
  const checks = await Bun.file(join(projectFolder, 'cli', 'run-checks.ts')).text();
  const generators = sources.filter(
    ({ path, text }) => /^cli\/(?!run-checks)[\w-]+\.ts$/.test(path) && text.includes('--check'),
  );
  expect(generators.map(({ path }) => path).toSorted()).toEqual(['cli/client-types.ts']);
  for (const { path } of generators) expect(checks).toContain(`'${path}', '--check'`);
});
