/** The commands of the operating guide work as printed, one after the other, from an empty folder. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { settlePort } from '#cli/supervisor/settle-defaults.ts';
import { projectFolder } from '#runtime/project-files.ts';
import { makeBareMachine } from '#test/harness/bare-machine.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { runProgram } from '#test/harness/run-program.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';

const guide = readFileSync(join(projectFolder, 'docs', 'operating.md'), 'utf8');
/** A comment, which readers of the page do not see, says why a block cannot be run here. */
const block =
  /(?:<!-- not run by the test: (?<why>[^>]+) -->\n\n)?^(?<indent> *)```sh\n(?<commands>.*?)^ *```$/gms;
const blocks = [...guide.matchAll(block)].map(({ groups }) => ({
  why: groups?.['why'],
  commands: groups?.['commands'] ?? '',
}));

const machine = makeBareMachine(useTestFolder());

/** The PATH of the machine, without the programs that the sources install. */
function systemPath(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return [machine.path, ...folders.filter((folder) => !folder.includes('node_modules'))].join(delimiter);
}

/** The default port may be in use on this machine, so the commands get a free one. */
async function runInEmptyFolder(commands: string) {
  const port = String(await settlePort('127.0.0.1', 0));
  const script = commands.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`);
  return runProgram(['sh', '-eu', '-c', script], {
    cwd: machine.folder,
    env: {
      PATH: systemPath(),
      HOME: machine.folder,
      TMPDIR: tmpdir(),
      PORT: port,
      HUB_URL: `http://127.0.0.1:${port}`,
      // The guide starts a hub nine times, so the pools it does not use are left out until it sets this itself.
      WORKER_PROCESSES: 'mail=0,webhooks=0,seats=0',
    },
  });
}

test('every command of the guide that can be run here succeeds', async () => {
  const commands = blocks.filter(({ why }) => why === undefined).map((one) => one.commands);
  expect(commands.length).toBeGreaterThan(10);
  const { exitCode, printed, complaints } = await runInEmptyFolder(commands.join('\n'));
  expect({ exitCode, complaints, printed }).toMatchObject({
    exitCode: 0,
    printed: expect.stringContaining('no errors'),
  });
  expect(printed).toContain('No drift.');
  expect(printed).toContain('hub_queue_oldest_waiting_seconds{queue="eval-runs"} 0');
});

test('the image tags in the guide have the current version', () => {
  const tags = [...guide.matchAll(/agent-hub:(\d[\w.-]*)/g)].map(([, tag]) => tag);
  expect([...new Set(tags)]).toEqual([packageJson.version]);
});
