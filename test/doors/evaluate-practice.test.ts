/** What a newcomer gets wrong costs no run: the agent is tried before one is redeemed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { createTestRunner, type TestRunner } from '#test/harness/eval-runs.ts';
import { type EvaluateDoors, openEvaluateDoors } from '#test/harness/evaluate-doors.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { startTarget } from '#test/harness/target.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { pushRun } from '#workers/eval-runner/push-run.ts';

let store: ScratchStore;
let hub: TestHub;
let doors: EvaluateDoors;
let runner: TestRunner;
beforeAll(async () => {
  store = await openScratchStore('sqlite');
  [hub, doors] = await Promise.all([startTestHub({ store, ownBaseUrl: true }), openEvaluateDoors()]);
  runner = createTestRunner(hub.ctx, hub.redisUrl);
});
afterAll(async () => {
  runner.close();
  await hub.close();
  await store.remove();
  await doors.remove();
});

const environmentOf = (agent: TestAgent) => ({ HUB_URL: hub.url, HUB_TOKEN: agent.bearerToken });
const runsOf = async (agent: TestAgent): Promise<{ readonly id: string }[]> =>
  (await hub.fetch('/v1/runs', { token: agent.bearerToken })).body.runs;

const serving = (print: string) =>
  `node -e "require('readline').createInterface({ input: process.stdin }).on('line', () => ${print})"`;

/** `hub` has the code of the npm package. */
describe.each(['npm', 'python'] as const)('%s', (door) => {
  test.each([
    ['exits', ['--cmd', 'node -e "import(\'no-such-module\')"'], /exit code 1/],
    ['is too slow', ['--cmd', 'sleep 60', '--timeout', '1'], /took longer than 1 s/],
    [
      'prints a log line',
      ['--cmd', serving("console.log('ready')"), '--serve', '--timeout', '1'],
      /each reply is a line such as .* but one is ready/,
    ],
    [
      'says that it failed',
      [
        '--cmd',
        serving(String.raw`console.log('{\"case_id\":\"practice\",\"error\":\"No API key.\"}')`),
        '--serve',
      ],
      /No API key\./,
    ],
  ])('a program that %s spends no run', async (_, words, complaint) => {
    const agent = await createTestAgent(hub.ctx);
    const { exitCode, complaints } = await doors.start(
      door,
      ['--product', 'eval-run', ...words],
      environmentOf(agent),
    ).ended;
    expect(complaints).toMatch(
      /^error: The program of --cmd did not reply to a practice prompt, so no run was started\. .*\n$/,
    );
    expect(complaints).toMatch(complaint);
    expect([exitCode, await runsOf(agent)]).toEqual([2, []]);
  });

  test('a practice prompt is asked once, with tools where the tasks have some, and ends at Ctrl-C', async () => {
    const agent = await createTestAgent(hub.ctx);
    const seconds = `7${String(process.pid).padStart(8, '0')}${door.length}`;
    const program = `read -r line; echo "$line" > ${door}.line; sleep ${seconds}`;
    const words = ['--product', 'agent-run', '--cmd', program, '--serve'];
    const { child, ended } = doors.start(door, words, environmentOf(agent));
    const readLine = () => readFile(join(doors.folder, `${door}.line`), 'utf8').catch(() => '');
    await waitUntil(async () => (await readLine()).endsWith('\n'));
    child.kill('SIGINT');
    const { exitCode, complaints } = await ended;
    expect(JSON.parse(await readLine())).toMatchObject({
      case_id: 'practice',
      messages: [{ role: 'user', content: expect.stringContaining('practice') }],
      system: expect.any(String),
      tools: [{ name: 'task_finish', parameters: { type: 'object' } }],
    });
    expect([exitCode, complaints, await runsOf(agent)]).toEqual([2, 'error: Interrupted.\n', []]);
  });

  test('a target that refuses its key, speaks something else or is not there spends no run', async () => {
    const refusing = startTarget(() => new Response('{"error":"bad key"}', { status: 401 }));
    const html = startTarget(() => new Response('<html></html>'));
    const complaintsOf = async (...words: readonly string[]) => {
      const agent = await createTestAgent(hub.ctx);
      const { exitCode, complaints } = await doors.start(
        door,
        ['--product', 'eval-run', ...words],
        environmentOf(agent),
      ).ended;
      expect([exitCode, await runsOf(agent)]).toEqual([2, []]);
      return complaints;
    };
    const start = 'error: The target cannot be used, so no run was started. ';
    const refused = await complaintsOf('--target', refusing.url);
    expect(refused).toStartWith(`${start}The target responded with status 401.`);
    expect(refused).toEndWith('The target returned: "{\\"error\\":\\"bad key\\"}"\n');
    expect(await complaintsOf('--target', html.url, '--protocol', 'hub')).toStartWith(start);
    await Promise.all([refusing.stop(), html.stop()]);
    expect(await complaintsOf('--target', html.url)).toStartWith(
      `${start}The target refused the connection.`,
    );
  });

  test('a target that is overloaded for the moment is redeemed with the protocol that it speaks', async () => {
    let isBusy = true;
    const target = startTarget(() =>
      isBusy
        ? new Response('overloaded', { status: 529 })
        : Response.json({
            object: 'chat.completion',
            choices: [{ message: { role: 'assistant', content: '42' } }],
          }),
    );
    const agent = await createTestAgent(hub.ctx);
    const words = ['--product', 'eval-run', '--target', target.url, '--concurrency', '8'];
    const published = hub.published.length;
    const started = doors.start(door, words, environmentOf(agent));
    await waitUntil(() =>
      Promise.resolve(started.said().includes('Waiting: the target responded with status 529.')),
    );
    isBusy = false;
    await waitUntil(() => Promise.resolve(hub.published.length > published));
    const [run] = await runsOf(agent);
    await pushRun(runner, { runId: run!.id, jobId: hub.published.at(-1)!.id });
    const { exitCode, complaints } = await started.ended;
    expect([exitCode, complaints]).toEqual([0, expect.stringContaining('77/77')]);
    await target.stop();
  });
});
