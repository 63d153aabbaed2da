/** How `evaluate` begins and ends: credentials, time limits, Ctrl-C, targets, and runs that were not possible. */
import { describe, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { createKey } from '#client/keys.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestRunner, pushQueuedRun, useTestRunner } from '#test/harness/eval-runs.ts';
import {
  type DoorName,
  type Environment,
  languages,
  type Words,
  useEvaluateDoors,
} from '#test/harness/evaluate-doors.ts';
import { rowOf, rowsOf } from '#test/harness/rows.ts';
import { startTarget } from '#test/harness/target.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const { hub, doors, startAs, evaluate, runsOf } = useEvaluateDoors();
const runner = useTestRunner(() => createTestRunner(hub.ctx, hub.redisUrl));

/** The error of a run that is not possible, with this environment alone. */
async function complaintOf(door: DoorName, words: Words, env?: Environment) {
  const { exitCode, complaints } = await doors.start(door, words, env).ended;
  expect(exitCode).toBe(2);
  return complaints;
}

/** Concurrent, because a client retries for a while to reach a hub. */
describe.concurrent.each(languages)('%s', (door) => {
  test('says what to type if the hub, the token or the key is wrong, and names no operation of the API', async () => {
    const owner = await createTestAgent(hub.ctx, { handle: `owner-${door}` });
    const words = '--product eval-run --cmd true';
    expect(await complaintOf(door, words, { HUB_URL: hub.url, HUB_TOKEN: 'hub_wrong' })).toBe(
      'error: The bearer token is invalid. It has expired, or belongs to another hub. Set HUB_TOKEN to another one, or add --key FILE, which logs in each time.\n',
    );
    const key = JSON.stringify({ ...(await createKey()), handle: owner.handle });
    await doors.write(`wrong-${door}.json`, key);
    const withKey = `${words} --key wrong-${door}.json --hub`;
    expect(await complaintOf(door, `${withKey} ${hub.url}`)).toBe(
      `error: wrong-${door}.json of --key is not the key of ${owner.handle}: the hub at ${hub.url} has another one. Name the file with that key, or another agent with --handle.\n`,
    );
    expect(await complaintOf(door, `${withKey} http://127.0.0.1:9`)).toMatch(
      /^error: No hub responds at http:\/\/127\.0\.0\.1:9 \(.+\)\. Check HUB_URL or --hub\. .*npm start/,
    );
  });
});

describe.each(languages)('%s', (door) => {
  test('spends no run on a program that does not exist, and logs in or signs up with a key', async () => {
    const handle = `key-${door}-7`;
    const words = ['--product', 'eval-run', '--cmd', 'no-such-program 1', '--hub', hub.url];
    const complaintWith = (key: string) => complaintOf(door, [...words, '--key', ...key.split(' ')]);
    const json = `${door}.json`;
    const noProgram =
      'error: The program `no-such-program` of --cmd was not found. Check its name and PATH.\n';
    expect(await complaintWith(json)).toBe(
      `error: ${json} of --key does not exist. Add --handle NAME to sign up a new agent.\n`,
    );
    expect(await complaintWith(`${json} --handle ${handle}`)).toBe(noProgram);
    expect(await complaintWith(json)).toBe(noProgram);
    expect(await complaintWith(`${json} --handle another-7`)).toBe(
      `error: ${json} of --key is the key of ${handle}, and --handle says another-7. Name another file, or leave out --handle.\n`,
    );
    const taken = `taken-${door}.json`;
    expect(await complaintWith(`${taken} --handle ${handle}`)).toContain(handle);
    expect(await readdir(doors.folder)).not.toContain(taken);
    const key = JSON.parse(await doors.read(json));
    // Every log-in has revoked its token; the one of the sign-up is left.
    const { id: agentId } = await rowOf(hub, 'agents', { handle });
    expect(await rowsOf(hub, 'bearerTokens', { agentId, revokedAt: null })).toHaveLength(1);
    const pem = `-----BEGIN PRIVATE KEY-----\n${key.privateKey}\n-----END PRIVATE KEY-----\n`;
    await doors.write(`${door}.pem`, pem);
    expect(await complaintWith(`${door}.pem --handle ${handle}`)).toBe(noProgram);
    expect(await complaintWith(`${door}.pem`)).toBe(
      `error: ${door}.pem of --key names no handle. Add --handle NAME.\n`,
    );
    const missing = await doors.start(door, [...words, '--json']).ended;
    expect(JSON.parse(missing.printed)).toEqual({
      outcome: 'not_possible',
      error: 'There is no token. Set HUB_TOKEN, or add --key FILE.',
    });
    expect(missing.exitCode).toBe(2);
  });

  test('reads a pasted URL and token without the line break, and quotes no token', async () => {
    const { bearerToken } = await createTestAgent(hub.ctx);
    const junit = `${door}-pasted.xml`;
    const words = `--product eval-run --cmd true --junit ${junit} --baseline 00000000-0000-0000-0000-000000000000`;
    const complaintAt = async (HUB_URL: string, HUB_TOKEN: string) =>
      (await complaintOf(door, words, { HUB_URL, HUB_TOKEN })) + (await doors.read(junit));
    expect(await complaintAt(`${hub.url}/\r\n`, `${bearerToken}\n`)).toMatch(
      /^error: You have no run with the id /,
    );
    const broken = await complaintAt(hub.url, bearerToken.replace('_', '_\n'));
    expect(broken).toMatch(/^error: HUB_TOKEN has a character that no token has, .* Set it anew\.\n</);
    expect(broken).not.toContain(bearerToken.split('_').at(-1));
    const noUrl = 'error: HUB_URL must be an http or https URL.\n';
    expect(await complaintAt(hub.url.replace('http://', ''), bearerToken)).toStartWith(noUrl);
  });

  test('leaves reports with the error of a run that was not possible', async () => {
    const program = `printf 'a <b> & "c" ]]> \\033[31m' >&2; exit 127`;
    const [junit, markdown, summary] = [`${door}-error.xml`, `${door}-error.md`, `${door}-summary.md`];
    const words = ['--product', 'eval-run', '--cmd', program, '--junit', junit, '--markdown', markdown];
    await doors.write(summary, 'Earlier step.\n');
    const env = { GITHUB_STEP_SUMMARY: summary };
    const { agent, exitCode, complaints } = await evaluate(door, words, { env });
    expect([exitCode, complaints]).toEqual([2, expect.stringContaining('exit code 127: a <b> & "c" ]]>')]);
    const text = await doors.read(markdown);
    expect(text).toBe(`## Not possible\n\n    ${complaints.slice('error: '.length)}`);
    expect(await doors.read(summary)).toBe(`Earlier step.\n${text}`);
    const xml = await doors.read(junit);
    expect(xml).toMatch(
      /^<\?xml [^>]*>\n<testsuites [^>]*tests="1" failures="0" errors="1">\n<testsuite [^>]*>\n<testcase [^>]*><error [^>]*>[^<>]*<\/error>\n<\/testcase>\n<\/testsuite>\n<\/testsuites>\n$/,
    );
    expect(xml).toContain('exit code 127: a &#60;b&#62; &#38; &#34;c&#34; ]]&#62;');
    expect(xml).not.toMatch(/\p{Cc}(?<!\n)/u);
    expect(await runsOf(agent)).toEqual([]);
  });

  test('spends no run whose reports or replies could not be written', async () => {
    await doors.write('file', '');
    for (const given of ['junit no-folder/junit.xml', 'cache file']) {
      const { agent, exitCode, complaints } = await evaluate(door, `--product eval-run --cmd cat --${given}`);
      expect([exitCode, await runsOf(agent)]).toEqual([2, []]);
      expect(complaints).toContain(`--${given.replace(' ', ': ')} cannot be written`);
    }
  });

  test('ends programs that take too long with all their children, and cancels the run, which is refunded', async () => {
    const seconds = `9${String(process.pid).padStart(8, '0')}${languages.indexOf(door)}`;
    const sleep = `sleep ${seconds} & sleep ${seconds}`;
    const program = `case "$(cat)" in *practice*) echo ready;; *) ${sleep};; esac`;
    const words = ['--product', 'eval-run', '--cmd', program, '--timeout', '1'];
    const { agent, exitCode, complaints } = await evaluate(door, [...words, '--concurrency', '3']);
    expect(complaints).toContain('The program took longer than 1 s (--timeout).');
    expect(complaints).toMatch(/is cancelled. It is refunded.\n$/);
    expect(exitCode).toBe(2);
    expect(await runsOf(agent)).toMatchObject([{ status: 'failed', cancelled: true }]);
    await waitUntil(() => !running(`sleep ${seconds}`));
  });

  test('cancels the run at Ctrl-C and ends the program', async () => {
    const seconds = `8${String(process.pid).padStart(8, '0')}${languages.indexOf(door)}`;
    const agent = await createTestAgent(hub.ctx, { tokens: 10 });
    const program = `read -r line; echo '{"case_id":"practice","text":"ready"}'; sleep ${seconds}`;
    const words = ['--product', 'eval-run', '--cmd', program, '--serve'];
    const { child, ended } = startAs(agent, door, words);
    await waitUntil(async () => (await runsOf(agent))[0]?.status === 'running');
    child.kill('SIGINT');
    const { exitCode, complaints } = await ended;
    expect(complaints).toMatch(/error: Interrupted\. The run \S+ is cancelled\. It is refunded\.\n$/);
    expect(exitCode).toBe(2);
    expect(await runsOf(agent)).toMatchObject([{ status: 'failed', cancelled: true }]);
    await waitUntil(() => !running(`sleep ${seconds}`));
  });

  test('lets the hub call a target, and says why a run was not possible', async () => {
    await using target = startTarget(() => '42');
    const agent = await createTestAgent(hub.ctx, { tokens: 10 });
    const markdown = `${door}-no-bar.md`;
    const words = `--product eval-run --target ${target.url} --header x-secret:abc --markdown ${markdown}`;
    const { ended } = startAs(agent, door, words);
    await pushQueuedRun(runner, agent.id);
    const { exitCode, printed, complaints } = await ended;
    expect([exitCode, printed]).toEqual([0, expect.stringMatching(/\n\nNo bar was set, .*\n$/)]);
    expect(complaints).toContain('69/69');
    expect(await doors.read(markdown)).toMatch(
      /^# Findings\n\n- \*\*[^]*\n## `health-check version \d+`: pass rate /,
    );
    const broke = await createTestAgent(hub.ctx, { freeEvalTaken: true });
    const refused = await evaluate(door, words, { as: broke });
    expect(refused.complaints).toMatch(/^error: .*token.*\n$/);
    expect(refused.exitCode).toBe(2);
  });
});

/** Whether a process with these words is running, other than the commands that contain them. */
function running(words: string): boolean {
  const { stdout } = Bun.spawnSync(['ps', '-eo', 'args']);
  return stdout.toString().split('\n').includes(words);
}
