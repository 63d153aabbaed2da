/**
 * The first run in the README works as printed, and nothing that can be run or installed is left out of the documents.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { startHub, type WholeHub } from '#test/harness/whole-hub.ts';
import packageJson from '../../package.json' with { type: 'json' };

const read = (path: string): Promise<string> => readFile(join(projectFolder, path), 'utf8');

async function missingFrom(page: string, forms: readonly string[]): Promise<readonly string[]> {
  const text = await read(page);
  return forms.filter((form) => !text.includes(form));
}

test('the page of libraries names every package', async () => {
  const packages = Object.keys({ ...packageJson.dependencies, ...packageJson.devDependencies });
  const forms = packages.map((name) => `\`${name}\``);
  expect(await missingFrom('docs/libraries.md', forms)).toEqual([]);
});

test('the development page names every script in package.json', async () => {
  const short = new Set(['start', 'test']);
  const forms = Object.keys(packageJson.scripts).map((name) =>
    short.has(name) ? `npm ${name}` : `npm run ${name}`,
  );
  expect(await missingFrom('docs/development.md', forms)).toEqual([]);
});

let hub: WholeHub;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-hub-readme-'));
  hub = startHub({
    PORT: '0',
    WORKER_PROCESSES: 'mail=0,webhooks=0,seats=0',
    SUITE_RUN_REPLIES_PER_TOKEN: '0',
  });
  await hub.until(/Agent Hub is ready/);
});
afterAll(async () => {
  hub.hub.kill('SIGTERM');
  await hub.ended();
  await rm(folder, { recursive: true });
});

async function runBlock(heading: string, replaced: readonly (readonly [string, string])[]) {
  const [, block = ''] =
    new RegExp(`${heading}[^]*?\`\`\`sh\\n([^]*?)\`\`\``).exec(await read('README.md')) ?? [];
  const commands = replaced.reduce((text, [given, now]) => text.replaceAll(given, now), block);
  const shell = Bun.spawn(['bash', '-euo', 'pipefail', '-c', commands], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [exitCode, output, errors] = await Promise.all([
    shell.exited,
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
  ]);
  return { exitCode, output, errors };
}

test('the first run ends with a scorecard', async () => {
  const [, address = ''] = await hub.until(/API +(http:\S+)/);
  const { exitCode, output, errors } = await runBlock('## First run', [['http://127.0.0.1:3000', address]]);
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: expect.stringContaining('69/69') });
  const scored = /pass rate \d+\.\d%/;
  expect(output).toMatch(scored);
  expect(await readFile(join(folder, 'scorecard.md'), 'utf8')).toMatch(scored);
});

test('a change that breaks two cases of an own suite fails, and names them', async () => {
  const [, address = ''] = await hub.until(/API +(http:\S+)/);
  const { exitCode, output, errors } = await runBlock('## Your own cases in CI', [
    ['http://127.0.0.1:3000', address],
  ]);
  expect({ exitCode, errors }).toEqual({
    exitCode: 0,
    errors: expect.stringContaining('version 1 is published.'),
  });
  const [, shown = ''] = /exit code 1[^]*?```\n([^]*?)```/.exec(await read('README.md')) ?? [];
  expect(shown).toContain('2 cases broke');
  expect(output).toContain(shown);
  expect(output).toEndWith('\nexit code 1\n');
});
