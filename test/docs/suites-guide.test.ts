/** The commands of the guide to suites run as copied, one after the other. */
import { beforeAll, expect, test } from 'bun:test';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { pushRun } from '#workers/eval-runner/push-run.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestRunner } from '#test/harness/eval-runs.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { hubBinary } from '#test/harness/hub-binary.ts';
import { startProgram } from '#test/harness/run-program.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const guide = await readFile(join(projectFolder, 'docs', 'suites.md'), 'utf8');
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, text = '']) => text);
const [suite = ''] = blocks('yaml');
const matrix = blocks('yaml').find((text) => text.startsWith('main:')) ?? '';
const [program = ''] = blocks('python');

const hub = useTestHub({ ownBaseUrl: true });
const folder = useTestFolder();
let token: string;
let environment: Readonly<Record<string, string | undefined>>;
beforeAll(async () => {
  token = (await createTestAgent(hub.ctx, { handle: 'ada-7', tokens: 20 })).bearerToken;
  for (const name of ['home', 'prompts', 'bin']) await mkdir(join(folder, name));
  await symlink(join(projectFolder, 'evals'), join(folder, 'evals'));
  await symlink(hubBinary, join(folder, 'bin', 'hub'));
  await writeFile(join(folder, 'agent.py'), program);
  await writeFile(join(folder, 'refund-desk.yaml'), suite);
  await writeFile(join(folder, 'matrix.yaml'), matrix);
  environment = {
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    HOME: join(folder, 'home'),
    TMPDIR: tmpdir(),
    HUB_URL: hub.url,
    HUB_TOKEN: token,
    BRANCH: 'main',
  };
});

function start(script: string) {
  // A process group of its own, as a shell gives it to a command.
  const command = ['bash', '-eo', 'pipefail', '-c', `${script}\n`];
  return startProgram(command, { cwd: folder, env: environment, detached: true });
}

test('its commands run as copied: check, publish, ask, ask again, regrade, compare, watch, trace, and fail in CI', async () => {
  // The model of a judge is elsewhere.
  const own = blocks('sh').filter((text) => !text.includes('--judge-target'));
  const [check = '', publish = '', work = '', trace = '', ci = ''] = own;
  expect(own).toHaveLength(5);
  expect((await start(check).ended).exitCode).toBe(0);
  const created = expect.stringContaining('"created":true');
  expect(await start(publish).ended).toMatchObject({ exitCode: 0, printed: created });
  const [once, watch = ''] = work.split(/^(?=.*--watch)/m);
  const working = start(once ?? '');
  // Only the replies of an earlier run are graded by a worker.
  await waitUntil(() => hub.published.length > 0);
  const { runs } = (await hub.fetch('/v1/runs?status=queued', { token })).body;
  const runner = createTestRunner(hub.ctx, hub.redisUrl);
  await pushRun(runner, { runId: runs[0].id, jobId: hub.published.at(-1)!.id });
  runner.close();
  const worked = await working.ended;
  const uncached = expect.stringContaining('0 of 9 replies came from the cache');
  expect(worked).toMatchObject({ exitCode: 0, complaints: uncached });
  const asked = 'The run asks 1 of the 3 cases of its version.';
  for (const said of [asked, 'graded again.', '# main, small: 3 equal'])
    expect(worked.printed).toContain(said);
  const traced = await start(`${work.split('\n')[0]}\n${trace}`).ended;
  expect([traced.exitCode, traced.printed]).toEqual([0, expect.stringContaining('"verdict":"refused"')]);
  const watching = start(`${work.split('\n')[0]}\n${watch}`);
  await waitUntil(() => watching.complaints().includes('Waiting for changes to refund-desk.yaml'));
  expect((await start(ci).ended).exitCode).toBe(1);
  await writeFile(join(folder, 'agent.py'), program.replace('"No refund"', '"Refund"'));
  await waitUntil(() => watching.complaints().split('Waiting for changes').length > 2);
  process.kill(-watching.child.pid, 'SIGINT');
  expect((await watching.ended).printed).toContain('Fixed since the baseline (1)');
  const held = expect.stringContaining('Held: --min-pass 0.9');
  expect(await start(ci).ended).toMatchObject({ exitCode: 0, printed: held });
  expect(await readFile(join(folder, 'report.xml'), 'utf8')).toContain('<testcase');
});
