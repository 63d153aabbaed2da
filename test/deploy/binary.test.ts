/** The compiled binary, on a machine with only Redis, behaves like the sources. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { type BareMachine, makeBareMachine } from '#test/harness/bare-machine.ts';
import { expectSuccess } from '#test/harness/expect-end.ts';
import { shortLived } from '#test/harness/short-lived.ts';
import { startTarget } from '#test/harness/target.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { startHub } from '#test/harness/whole-hub.ts';
import { startProgram } from '#test/harness/run-program.ts';

const isLinux = process.platform === 'linux';
let machine: BareMachine;
beforeAll(() => {
  machine = makeBareMachine(scratch);
  // Files in the working folder must be read neither as settings nor as code.
  writeFileSync(join(machine.folder, '.env'), 'PORT=not-a-port\n');
  writeFileSync(join(machine.folder, 'bunfig.toml'), 'preload = ["./not-there.ts"]\n');
});
afterAll(() => {
  // Left over from a failed test.
  for (const pid of running()) process.kill(pid, 'SIGKILL');
});
const scratch = useTestFolder();

/** The processes that run the binary, where the system reports them. */
function running(): number[] {
  if (!isLinux) return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/exe`) === machine.hub;
    } catch {
      return false; // It has just ended.
    }
  });
}

/** Accepts any traces. */
function startCollector() {
  const paths: string[] = [];
  const fetch = (request: Request) => {
    paths.push(new URL(request.url).pathname);
    return new Response();
  };
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch });
  return { url: `http://127.0.0.1:${server.port}`, paths, stop: () => server.stop(true) };
}

/** The paths that a page loads. */
function filesOf(html: string, page: string): string[] {
  const [, base = page] = /<base href="([^"]+)"/.exec(html) ?? [];
  return [...html.matchAll(/(?:src|href)="([^":#]+\.(?:js|css|png|ico))"/g)].map(
    ([, file = '']) => new URL(file, `http://page${base}`).pathname,
  );
}

function start(words: readonly string[], given: Readonly<Record<string, string>> = {}) {
  const env = { PATH: machine.path, HOME: machine.folder, TMPDIR: scratch, ...shortLived, ...given };
  return startProgram([machine.hub, ...words], { cwd: machine.folder, env });
}

const run = (...given: Parameters<typeof start>) => start(...given).ended;

test('`hub start` serves everything that `npm start` serves, and Ctrl-C leaves nothing behind', async () => {
  const collector = startCollector();
  const { hub, dataDir, until, address, ended } = startHub(
    { PORT: '0', PATH: machine.path, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    [machine.hub, 'start'],
    machine.folder,
  );
  await until(/Agent Hub is ready/);
  const baseUrl = await address();
  const operatorKey = readFileSync(join(dataDir, 'operator-key'), 'utf8').trim();
  const get = async (path: string): Promise<string> => {
    const isOurs = path.startsWith('/admin') || path === '/metrics';
    const headers: HeadersInit = isOurs ? { authorization: `Bearer ${operatorKey}` } : {};
    const response = await fetch(`${baseUrl}${path}`, { headers });
    expect([path, response.status]).toEqual([path, 200]);
    return response.text();
  };

  expect(JSON.parse(await get('/readyz'))).toEqual({ ready: true });
  expect(JSON.parse(await get('/openapi.json')).openapi).toStartWith('3.1');
  expect(await get('/skill.md')).toContain(baseUrl);
  for (const page of ['/docs', '/admin/queues']) {
    const files = filesOf(await get(page), page);
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) expect((await get(file)).length).toBeGreaterThan(100);
  }
  // What the queue page loads later: its translations, and the queues through BullMQ's scripts.
  expect(JSON.parse(await get('/admin/queues/static/locales/en-US/messages.json'))).toBeObject();
  expect(await get('/admin/queues/api/queues')).toContain('"eval-runs"');
  expect(await get('/metrics')).toContain('hub_dependency_up{dependency="redis"} 1');

  // One job from start to end, with the command line in the same file.
  const target = startTarget(() => 'I do not know.');
  const online = { HUB_URL: baseUrl };
  await run(['keygen', 'agent.pem']);
  const { printed } = await run(['register', 'ada-7', '--key', 'agent.pem', '--json'], online);
  const { token } = JSON.parse(printed);
  const evaluate = ['evaluate', '--product', 'eval-run', '--target', target.url, '--json'];
  const evaluated = await run(evaluate, { ...online, HUB_TOKEN: token });
  await target.stop();
  expect([evaluated.exitCode, JSON.parse(evaluated.printed).outcome]).toEqual([0, 'held']);
  expect(target.calls.length).toBeGreaterThanOrEqual(40);

  const backup = await run(['backup', 'hub.sqlite', '--json'], { DATA_DIR: dataDir });
  expect([backup.exitCode, JSON.parse(backup.printed).backed_up]).toEqual([0, true]);

  hub.kill('SIGINT');
  expect(await ended()).toMatchObject({ exitCode: 0, complaints: '' });
  expect(collector.paths).toContain('/v1/traces');
  await collector.stop();
  expect(running()).toEqual([]);
});

test('the binary contains no path of the build machine from which it could load foreign code', () => {
  expect(readFileSync(machine.hub).includes(projectFolder)).toBe(false);
});

test('`hub demo --keep` runs the whole demo and leaves its hub running with links that sign in, until Ctrl-C', async () => {
  const demo = start(['demo', '--keep']);
  await demo.until(/Press Ctrl-C/);
  await visitKeptHub(demo.printed());
  demo.child.kill('SIGINT');
  const { printed } = await expectSuccess(demo.ended);
  expect(printed.includes('"kind": "refund"')).toBe(true);
  expect(printed).toMatch(/`health-check version \d+`: pass rate/);
  expectStandings(printed);
  expect(readdirSync(scratch).filter((name) => name.startsWith('agent-hub-demo-'))).toEqual([]);
  expect(running()).toEqual([]);
});

/** The demo prints its leaderboard, a line for each agent: `1. careful ──●── 93.2 (90.1–95.4)`. */
function expectStandings(printed: string): void {
  const lines = [...printed.matchAll(/^(\d)\. (\w+) .*●.* (\S+) \((\S+)–(\S+)\)$/gm)];
  // The cases are drawn at random. Only the last agent is so much weaker that its place is certain.
  const handles = lines.map(([, , handle = '']) => handle);
  expect([handles.at(-1), handles.toSorted()]).toEqual(['drowsy', ['careful', 'drowsy', 'hasty', 'steady']]);
  for (const [, , , score, low, high] of lines) {
    expect(Number(low)).toBeLessThan(Number(score));
    expect(Number(high)).toBeWithin(Number(score), 100.1);
  }
}

/** @param printed by the demo, with the address of its hub and the links */
async function visitKeptHub(printed: string): Promise<void> {
  const headers = { accept: 'text/html', 'sec-fetch-site': 'same-origin' };
  const [, hub = ''] = /keeps running at (\S+)\//.exec(printed) ?? [];
  expect(await (await fetch(hub, { headers })).text()).toContain('href="/agents/careful"');
  const links = [/within five minutes: (\S+)/, /to see its runs: (\S+)/].map(
    (link) => link.exec(printed)?.[1] ?? '',
  );
  for (const link of links) {
    const form = { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams() } as const;
    const signedIn = await fetch(link, form);
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/me']);
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const runs = await (await fetch(`${hub}/me/runs`, { headers: { ...headers, cookie } })).text();
    expect(runs.includes('/me/runs/')).toBe(link === links[1]);
  }
}

test('on a terminal the log is formatted for people', async () => {
  let shown = '';
  const decoder = new TextDecoder();
  const listening = Promise.withResolvers<void>();
  const hub = Bun.spawn([machine.hub, 'api'], {
    cwd: machine.folder,
    env: { PATH: machine.path, PORT: '0', DATABASE_URL: 'none' },
    terminal: {
      cols: 100,
      rows: 40,
      data: (_, data) => {
        shown += decoder.decode(data, { stream: true });
        if (shown.includes('listening')) listening.resolve();
      },
    },
  });
  await Promise.race([listening.promise, hub.exited]);
  hub.kill('SIGTERM');
  expect(await hub.exited).toBe(0);
  expect(shown).toMatch(/INFO.*\(api\).*listening/);
});
