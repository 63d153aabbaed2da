/** What a Markdown document names exists (links, files, npm scripts), and the lists of packages and scripts are complete. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import packageJson from '../../package.json' with { type: 'json' };

const folders = 'actors|api|bench|cli|db|deploy|docs|domain|runtime|test|workers';

const documents = ['*.md', 'docs/**/*.md', 'bench/*.md']
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(projectFolder)])
  .map((path) => ({ path, text: readFileSync(join(projectFolder, path), 'utf8') }));

/** As GitHub derives them from headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const titles = text.matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...titles].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function leadsSomewhere(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : relative(projectFolder, join(projectFolder, dirname(from), path));
  if (anchor === undefined) return existsSync(join(projectFolder, target));
  const document = documents.find((one) => one.path === target);
  return document !== undefined && anchorsOf(document.text).has(anchor);
}

test.each(documents)('every link of $path leads somewhere', ({ path, text }) => {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const local = links.filter((link) => !/^https?:/.test(link));
  expect(local.filter((link) => !leadsSomewhere(path, link))).toEqual([]);
});

/** The changelog names what there was at the time. */
const present = documents.filter(({ path }) => path !== 'CHANGELOG.md');

test.each(present)('every file that $path names exists', ({ text }) => {
  const named = text.matchAll(new RegExp(`(?<![\\w/.$-])((?:${folders})/[\\w./*-]*\\w/?)`, 'g'));
  const missing = [...named]
    .map(([, file = '']) => file)
    // Written by the reader of the guide.
    .filter((file) => !file.endsWith('.env'))
    // A pattern such as `test/site/journey-*.test.ts` stands for at least one file.
    .filter((file) =>
      file.includes('*')
        ? [...new Bun.Glob(file).scanSync(projectFolder)].length === 0
        : !existsSync(join(projectFolder, file)),
    );
  expect(missing).toEqual([]);
});

test.each(present)('every npm script that $path names exists', ({ text }) => {
  const named = [...text.matchAll(/npm run (?:--\w+ )?([a-z][\w:]*)/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !Object.hasOwn(packageJson.scripts, name))).toEqual([]);
});

test('the index of the decisions lists each record, and no other', () => {
  const records = documents.map(({ path }) => /^docs\/decisions\/((\d{4})-.*\.md)$/.exec(path) ?? []);
  const names = records.flatMap(([, name]) => name ?? []).toSorted();
  const index = documents.find(({ path }) => path === 'docs/decisions/README.md')?.text ?? '';
  expect([...index.matchAll(/\((\d{4}-.*?\.md)\)/g)].map(([, name]) => name)).toEqual(names);
});

function missingFrom(page: string, forms: readonly string[]): readonly string[] {
  const text = documents.find(({ path }) => path === page)?.text ?? '';
  return forms.filter((form) => !text.includes(form));
}

test('the page of libraries names every package, and no other in production', () => {
  const { dependencies, devDependencies } = packageJson;
  const forms = Object.keys({ ...dependencies, ...devDependencies }).map((name) => `\`${name}\``);
  expect(missingFrom('docs/libraries.md', forms)).toEqual([]);
  const { text = '' } = documents.find(({ path }) => path === 'docs/libraries.md') ?? {};
  const [, production = ''] = text.split(/^## .*/m);
  const entries = [...production.matchAll(/^- (`.*?`): /gm)].flatMap(([, names = '']) => names.split(', '));
  expect(entries.filter((entry) => !forms.includes(entry) && !entry.endsWith('/*`'))).toEqual([]);
});

test('the development page names every script in package.json', () => {
  const short = new Set(['start', 'test']);
  const forms = Object.keys(packageJson.scripts).map((name) =>
    short.has(name) ? `npm ${name}` : `npm run ${name}`,
  );
  expect(missingFrom('docs/development.md', forms)).toEqual([]);
});
