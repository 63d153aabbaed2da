/** Rules for the text of all tracked files: line widths in documents, and no citations of files that are not here. */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';

const proseWidthMax = 120;

const listed = Bun.spawnSync(['git', 'ls-files', '-z'], { cwd: projectFolder }).stdout.toString();
const paths = listed.split('\0').filter((path) => path !== '' && existsSync(join(projectFolder, path)));

/** Lines of prose wider than the maximum: not in a code block, not in a table, and more than a link. */
function wideLines(markdown: string): string[] {
  let inCode = false;
  return markdown.split('\n').filter((line) => {
    if (/^\s*(```|~~~)/.test(line)) inCode = !inCode;
    const isTable = /^\s*\|/.test(line);
    const isLink = /^\s*(?:[-*] )?(?:\[[^\]]*\](?:\([^)]*\)|: \S+)|<?https?:\/\/\S+)[.,;]?$/.test(line);
    return !inCode && !isTable && !isLink && Array.from(line).length > proseWidthMax;
  });
}

test('lines of prose in documents are at most 120 characters wide', async () => {
  const wide = 'word '.repeat(30);
  expect(
    wideLines(['Text', wide, '```', wide, '```', `| ${wide} |`, `[x](${'y'.repeat(130)})`].join('\n')),
  ).toEqual([wide]);
  const documents = paths.filter((path) => path.endsWith('.md'));
  expect(documents.length).toBeGreaterThan(5);
  const found = await Promise.all(
    documents.map(
      async (path) => [path, wideLines(await readFile(join(projectFolder, path), 'utf8'))] as const,
    ),
  );
  expect(found.filter(([, lines]) => lines.length > 0)).toEqual([]);
});

test('no tracked file cites documents that are not in the repository', async () => {
  const cited = new RegExp(`\\b(${['decisions', 'interface'].join('|')})[.]md\\b`);
  const citing = await Promise.all(
    paths.map(async (path) =>
      cited.test(await readFile(join(projectFolder, path), 'latin1')) ? path : null,
    ),
  );
  expect(citing.filter((path) => path !== null)).toEqual([]);
});
