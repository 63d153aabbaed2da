/** The recipes for CI in the README of the client, and the GitHub Action, run as their shell would run them. */
import { beforeAll, expect, test } from 'bun:test';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectFolder } from '#runtime/project-files.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { runProgram } from '#test/harness/run-program.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';

interface Workflow {
  readonly jobs: { readonly evaluate: { readonly steps: readonly { readonly run?: string }[] } };
}
interface Pipeline {
  readonly evaluate: { readonly script: readonly string[] };
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: {
    readonly steps: readonly [{ readonly run: string; readonly env: Readonly<Record<string, string>> }];
  };
}

const agentProgram = `import sys
print("Refund" if "late" in sys.stdin.read() else "No refund")
`;
const suite = `suite: 1
name: refund-desk
cases:
  - { id: late, prompt: The parcel is late., expect: [{ equals: Refund }] }
  - { id: colour, prompt: I dislike the colour., expect: [{ equals: No refund }] }
`;

const hub = useTestHub({ ownBaseUrl: true });
const folder = useTestFolder();
let agent: TestAgent;
let recipes: readonly unknown[];
let action: Action;
beforeAll(async () => {
  agent = await createTestAgent(hub.ctx, { tokens: 20 });
  await writeFile(join(folder, 'agent.py'), agentProgram);
  await writeFile(join(folder, 'refund-desk.yaml'), suite);
  const readme = await readFile(join(projectFolder, 'client', 'README.md'), 'utf8');
  action = parse(await readFile(join(projectFolder, 'client', 'action', 'action.yml'), 'utf8')) as Action;
  recipes = [...readme.matchAll(/```yaml\n([^]*?)```/g)].map(([, text = '']) => parse(text));
});

async function shell(script: string, env: Readonly<Record<string, string>>) {
  await mkdir(join(folder, 'home'), { recursive: true });
  const home = { PATH: process.env['PATH'], HOME: join(folder, 'home') };
  return runProgram(['bash', '-eo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { ...home, HUB_URL: hub.url, HUB_TOKEN: agent.bearerToken, ...env },
  });
}

test('GitHub and GitLab run the suite and name what a change broke', async () => {
  // The documents that were written for this test.
  const [github, gitlab] = recipes as readonly [Workflow, Pipeline];
  const step = github.jobs.evaluate.steps.find(({ run }) => run !== undefined)?.run ?? '';
  const summary = join(folder, 'summary.md');
  const first = await shell(step, { BRANCH: 'main', GITHUB_STEP_SUMMARY: summary });
  expect(first).toMatchObject({
    exitCode: 0,
    printed: expect.stringContaining('there is no earlier run for the baseline branch:main'),
  });
  expect(await readFile(summary, 'utf8')).toContain('all bars held');
  await writeFile(join(folder, 'agent.py'), agentProgram.replace('late', 'overdue'));
  const second = await shell(gitlab.evaluate.script.join('\n'), { CI_COMMIT_REF_NAME: 'x'.repeat(80) });
  expect(second).toMatchObject({ exitCode: 1, printed: expect.stringContaining('1 case broke: late.') });
  expect(await readFile(join(folder, 'report.xml'), 'utf8')).toContain('<testcase');
});

test('the action takes true and false for its switches, and warns without a bar', async () => {
  const [{ run, env }] = action.runs.steps;
  const none = Object.fromEntries(Object.keys(env).map((name) => [name, '']));
  const wordsOf = (given: Readonly<Record<string, string>>) =>
    shell(`npx() { printf '%s\\n' "$@"; }\n${run}`, { ...none, ...given });
  const warning = '::warning::No bar is set';
  const plain = await wordsOf({ SERVE: 'True', STRICT: 'FALSE' });
  expect([plain.exitCode, plain.printed]).toEqual([0, expect.stringMatching(/\nevaluate\n--serve\n$/)]);
  expect(plain.printed).toStartWith(warning);
  for (const bar of ['FLAG_MIN_PASS', 'FLAG_MIN_SCORE', 'FLAG_FAIL_ON'])
    expect((await wordsOf({ [bar]: '1' })).printed).not.toContain(warning);
  for (const name of ['serve', 'strict']) {
    const { exitCode, printed } = await wordsOf({ [name.toUpperCase()]: 'yes' });
    const said = expect.stringContaining(`::error::${name} must be true or false`);
    expect([exitCode, printed]).toEqual([3, said]);
  }
});

test('the action passes every input on, as a value and never as a part of its script', async () => {
  const [{ run, env }] = action.runs.steps;
  const used = new Set(Object.values(env).map((value) => /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value)?.[1]));
  expect(used).toEqual(new Set(Object.keys(action.inputs)));
  expect(run).not.toContain('${{');
  const given: Readonly<Record<string, string>> = {
    'hub-url': hub.url,
    token: agent.bearerToken,
    'suite-file': 'refund-desk.yaml',
    cmd: `cat > "it's in.txt"; env | grep -c -e FLAG_ -e HUB_TOKEN; true`,
    label: 'a/very long branch name'.repeat(5),
    trials: '2',
    limit: '1',
    'min-pass': '0.5',
  };
  const filled = Object.entries(env).map(([name, value]) => [
    name,
    value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/, (_, input: string) => given[input] ?? ''),
  ]);
  const { exitCode, printed } = await shell(run, Object.fromEntries(filled));
  expect([exitCode, printed]).toEqual([1, expect.stringContaining('found equals: "0"')]);
  const [newest] = (await hub.fetch('/v1/runs', { token: agent.bearerToken })).body.runs;
  expect(newest).toMatchObject({ trials: 2, only: { cases: 1 }, label: given['label']?.slice(0, 64) });
});
