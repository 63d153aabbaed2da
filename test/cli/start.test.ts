import { expect, test, describe } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectRefusal } from '#test/harness/expect-end.ts';
import { hubBinary } from '#test/harness/hub-binary.ts';
import { runHubCommand } from '#test/harness/hub-command.ts';
import { redisPidOf } from '#test/harness/redis.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { fromSources, startHub } from '#test/harness/whole-hub.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { isAlive } from '#runtime/process/is-alive.ts';

const maxMemoryAtRestKib = 350 * 1024;

/** Processes of the hub name themselves in the log; Redis is recognised by its socket, which it removes last. */
function loggedPids(output: string): number[] {
  return [...new Set([...output.matchAll(/"pid":(\d+)/g)].map((match) => Number(match[1])))];
}

/** Proportional set size: shared pages count by the share that this process has in them. Linux only. */
function memoryKib(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]);
}

const started = startHub({ PORT: '0' }, fromSources);

test.skipIf(process.platform !== 'linux')('an idle hub uses less than 350 MB in total', async () => {
  const { hub, until } = started;
  await until(/Agent Hub is ready/);
  const pids = [hub.pid];
  for (const name of ['api', 'eval-runner', 'mail\\+sweeper\\+webhooks']) {
    pids.push(Number((await until(new RegExp(`"pid":(\\d+)[^\\n]*"name":"${name}"`)))[1]));
  }
  const [, socketFolder = ''] = await until(/private Redis in (\S+)/);
  pids.push(await redisPidOf(join(socketFolder, 'redis', 'redis.sock')));
  const used = pids.map(memoryKib);
  for (const kib of used) expect(kib).toBeGreaterThan(1000);
  expect(used.reduce((sum, kib) => sum + kib, 0)).toBeLessThan(maxMemoryAtRestKib);
});

test('the hub starts, prints its address, restarts a process that dies, and leaves nothing behind', async () => {
  const { until, address, stop } = started;
  await until(/Agent Hub is ready/);
  const baseUrl = await address();
  expect((await fetch(`${baseUrl}/v1/health`)).status).toBe(200);

  const sweeper = Number((await until(/"pid":(\d+)[^\n]*"name":"mail\+sweeper\+webhooks"/))[1]);
  process.kill(sweeper, 'SIGKILL');
  await until(/worker mail\+sweeper\+webhooks ended; starting it again/);
  await until(/"name":"mail\+sweeper\+webhooks"[^\n]*"msg":"working"/, 2);

  const socket = (await until(/private Redis in (\S+)/))[1] ?? '';
  expect(existsSync(join(socket, 'redis', 'redis.sock'))).toBe(true);
  const { exitCode, output } = await stop();
  expect(exitCode).toBe(0);
  expect(loggedPids(output).length).toBeGreaterThanOrEqual(4);
  expect(loggedPids(output).filter(isAlive)).toEqual([]);
  expect(existsSync(join(socket, 'redis', 'redis.sock'))).toBe(false);
});

const folder = useTestFolder();

test('a hub of another folder leaves the current one as it is', async () => {
  const [here, data] = [join(folder, 'here'), join(folder, 'data')];
  mkdirSync(here);
  mkdirSync(data);
  writeFileSync(
    join(data, 'hub.env'),
    `DATA_DIR=${data}\nWORKER_PROCESSES=mail=0,webhooks=0,seats=0,eval-runner=0\n`,
  );
  const command = [hubBinary, 'start', '--data', data];
  const { until, stop } = startHub({ PORT: '0', DATA_DIR: '' }, command, here);
  await until(/Agent Hub is ready/);
  await stop();
  expect([readdirSync(here), existsSync(join(data, 'hub.sqlite'))]).toEqual([[], true]);
});

test('a process count for an unknown pool stops the start, with a message that lists the pools', async () => {
  const WORKER_PROCESSES = 'eval-runners=2,inbound-mail=2';
  const refused = runHubCommand(['start'], { DATA_DIR: folder, WORKER_PROCESSES });
  const only = 'WORKER_PROCESSES must name only these pools: eval-runner, mail,';
  const { complaints } = await expectRefusal(refused, 78, only);
  expect(complaints).toContain('WORKER_PROCESSES must ask for at most 1 of inbound-mail');
});

/** Finds every process with this data folder in its environment, whatever its parent is by now. */
function processesOf(dataDir: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        if (!environment.includes(`DATA_DIR=${dataDir}`)) return [];
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`];
      } catch {
        return []; // It has just ended, or belongs to another user.
      }
    });
}

/** In the order in which they logged their end. */
function endings(output: string): string[] {
  return [...output.matchAll(/"name":"([\w+-]+)"[^\n]*"msg":"shutting down"/g)].map((match) => match[1]!);
}

/** A hub leaves no process behind, whether it is stopped from a terminal or its supervisor is killed. */
describe.skipIf(process.platform !== 'linux')('a hub', () => {
  test('started with `npm start` stops in order on Ctrl-C', async () => {
    const { hub, dataDir, until, ended } = startHub({ PORT: '0' }, ['npm', 'start']);
    await until(/Agent Hub is ready/);
    // At least the supervisor, the API, the pools, and Redis with the shell that holds it.
    expect(processesOf(dataDir).length).toBeGreaterThan(5);
    process.kill(-hub.pid, 'SIGINT');
    const { exitCode, output } = await ended();
    expect([0, 130]).toContain(exitCode);
    expect(endings(output).slice(0, 2)).toEqual(['supervisor', 'api']);
    expect(endings(output)).toEqual(
      expect.arrayContaining(['eval-runner', 'seats', 'mail+sweeper+webhooks']),
    );
    await waitUntil(() => processesOf(dataDir).length === 0);
  });

  test('leaves nothing behind when its supervisor is killed during the start', async () => {
    for (const afterMs of [0, 50, 150, 300, 600]) {
      const { hub, dataDir, ended } = startHub({ PORT: '0' });
      await Bun.sleep(afterMs);
      hub.kill('SIGKILL');
      await waitUntil(() => processesOf(dataDir).length === 0);
      await ended();
    }
  });
});
