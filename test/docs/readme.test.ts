/** What the README prints works as printed. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { startHub, type WholeHub } from '#test/harness/whole-hub.ts';
import { runProgram } from '#test/harness/run-program.ts';

const read = (path: string): Promise<string> => readFile(join(projectFolder, path), 'utf8');

let hub: WholeHub;
beforeAll(async () => {
  hub = startHub({
    PORT: '0',
    WORKER_PROCESSES: 'mail=0,webhooks=0,seats=0',
    SUITE_RUN_REPLIES_PER_TOKEN: '0',
  });
  await hub.until(/Agent Hub is ready/);
});
afterAll(() => hub.stop());
const folder = useTestFolder();

async function runBlock(heading: string) {
  const [, block = ''] =
    new RegExp(`${heading}[^]*?\`\`\`sh\\n([^]*?)\`\`\``).exec(await read('README.md')) ?? [];
  const commands = block.replaceAll('http://127.0.0.1:3000', await hub.address());
  return runProgram(['bash', '-euo', 'pipefail', '-c', commands], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder },
  });
}

test('the first run ends with a scorecard', async () => {
  const { exitCode, printed, complaints } = await runBlock('## First run');
  expect([exitCode, complaints]).toEqual([0, expect.stringContaining('69/69')]);
  const scored = /pass rate \d+\.\d%/;
  expect(printed).toMatch(scored);
  expect(await readFile(join(folder, 'scorecard.md'), 'utf8')).toMatch(scored);
});

test('a change that breaks two cases of an own suite fails, and names them', async () => {
  const { exitCode, printed, complaints } = await runBlock('## Your own cases in CI');
  expect([exitCode, complaints]).toEqual([0, expect.stringContaining('version 1 is published.')]);
  const [, shown = ''] = /exit code 1[^]*?```\n([^]*?)```/.exec(await read('README.md')) ?? [];
  expect(shown).toContain('2 cases broke');
  expect(printed).toContain(shown);
  expect(printed).toEndWith('\nexit code 1\n');
});
