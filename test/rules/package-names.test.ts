/** No text tells a reader to run or install a package that this project neither owns nor pins. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { llmsText, skillPage } from '#api/discovery/skill-page.ts';
import { projectFolder } from '#runtime/project-files.ts';
import packageJson from '../../package.json' with { type: 'json' };

/** `npx NAME`, `npm install NAME` and their likes in other package managers. */
const runs =
  /\b(?:npx|bunx|uvx|(?:npm|pnpm|yarn|bun) (?:i|install|add|exec|dlx|create|x)|(?:pip3?|pipx|uv|uv pip) (?:install|add|run)|deno (?:run|add|install))[ \t]+((?:-[^\s`]+[ \t]+)*)(?:\\\n\s*)?((?!-)["'$<\w@./:{}-]+)/g;

const pinned = new Set(Object.keys({ ...packageJson.dependencies, ...packageJson.devDependencies }));

/** The packages in a text that a registry would be asked for. */
function namesIn(text: string): readonly string[] {
  return [...text.matchAll(runs)]
    .map(([, , name = '']) => name)
    .filter((name) => !isPlace(name) && !pinned.has(name.replace(/(?<=.)@.*$/, '')));
}

/** A URL, a path, or a variable with one of both. */
const isPlace = (name: string): boolean => /^(?:https?:|["']?\$|["'.]?\/|\.)|\.ts$/.test(name);

const folders = 'actors,api,bench,cli,client,db,deploy,docs,domain,runtime,site,workers';
const files = ['*.md', `{${folders}}/**/*.{md,ts,tsx,mjs,json,yml,yaml,sh}`, 'deploy/*', '.ci/*']
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: projectFolder, dot: true })])
  .filter((path) => !/node_modules|migrations/.test(path));

test('no file names a package of others', async () => {
  expect(files.length).toBeGreaterThan(800);
  expect(namesIn('npm install agent-hub-client, npx -y \\\n  left-pad, npx bun x, npx -y ./a.tgz')).toEqual([
    'agent-hub-client',
    'left-pad',
  ]);
  const named = await Promise.all(
    files.map(async (path) => ({ path, names: namesIn(await Bun.file(join(projectFolder, path)).text()) })),
  );
  expect(named.filter(({ names }) => names.length > 0)).toEqual([]);
});

test.each([
  ['skill.md', skillPage('https://hub.example')],
  ['llms.txt', llmsText('https://hub.example')],
])('/%s names only the client that the hub serves', (_, page) => {
  expect(namesIn(page)).toEqual([]);
  expect(page).toContain('https://hub.example/clients/agent-hub-client.tgz');
});
