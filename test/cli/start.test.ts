import { expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { hubBinary } from '#test/harness/hub-binary.ts';
import { fromSources, startHub } from '#test/harness/whole-hub.ts';
import { isAlive } from '#runtime/process/is-alive.ts';

const maxMemoryAtRestKib = 350 * 1024;

/**
 * Processes of the hub name themselves in the log; Redis is recognised by its socket, which it removes last.
 */
function loggedPids(output: string): number[] {
  return [...new Set([...output.matchAll(/"pid":(\d+)/g)].map((match) => Number(match[1])))];
}

/** Proportional set size: shared pages count by the share that this process has in them. Linux only. */
function memoryKib(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]);
}

test('wrong settings stop the start with a list of all of them and no stack trace', async () => {
  const { exitCode, output, complaints } = await startHub(
    {
      PORT: 'x',
      HOST: '1.2.3',
      INBOX_KEY: 'a b',
    },
    fromSources,
  ).ended();
  expect(exitCode).toBe(78);
  expect(output).toBe('');
  expect(complaints.trim().split('\n')).toHaveLength(4);
  for (const name of ['PORT', 'HOST', 'INBOX_KEY']) expect(complaints).toContain(`  ${name} must be `);
});

const started = startHub({ PORT: '0' }, fromSources);

test.skipIf(process.platform !== 'linux')('an idle hub uses less than 350 MB in total', async () => {
  const { hub, until } = started;
  await until(/Agent Hub is ready/);
  const pids = [hub.pid];
  for (const name of ['api', 'eval-runner', 'mail\\+sweeper\\+webhooks']) {
    pids.push(Number((await until(new RegExp(`"pid":(\\d+)[^\\n]*"name":"${name}"`)))[1]));
  }
  const redis = new Redis(join((await until(/private Redis in (\S+)/))[1] ?? '', 'redis', 'redis.sock'));
  pids.push(Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]));
  redis.disconnect();
  const used = pids.map(memoryKib);
  for (const kib of used) expect(kib).toBeGreaterThan(1000);
  expect(used.reduce((sum, kib) => sum + kib, 0)).toBeLessThan(maxMemoryAtRestKib);
});

test('the hub starts, prints its address, restarts a process that dies, and leaves nothing behind', async () => {
  const { hub, until, ended } = started;
  await until(/Agent Hub is ready/);
  const baseUrl = (await until(/API +(http:\S+)/))[1] ?? '';
  expect((await fetch(`${baseUrl}/v1/health`)).status).toBe(200);

  const sweeper = Number((await until(/"pid":(\d+)[^\n]*"name":"mail\+sweeper\+webhooks"/))[1]);
  process.kill(sweeper, 'SIGKILL');
  await until(/worker mail\+sweeper\+webhooks ended; starting it again/);
  await until(/"name":"mail\+sweeper\+webhooks"[^\n]*"msg":"working"/, 2);

  const socket = (await until(/private Redis in (\S+)/))[1] ?? '';
  expect(existsSync(join(socket, 'redis', 'redis.sock'))).toBe(true);
  hub.kill('SIGTERM');
  const { exitCode, output } = await ended();
  expect(exitCode).toBe(0);
  expect(loggedPids(output).length).toBeGreaterThanOrEqual(4);
  expect(loggedPids(output).filter(isAlive)).toEqual([]);
  expect(existsSync(join(socket, 'redis', 'redis.sock'))).toBe(false);
});

test('a hub of another folder leaves the current one as it is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-hub-start-'));
  const [here, data] = [join(folder, 'here'), join(folder, 'data')];
  mkdirSync(here);
  mkdirSync(data);
  writeFileSync(
    join(data, 'hub.env'),
    `DATA_DIR=${data}\nWORKER_PROCESSES=mail=0,webhooks=0,seats=0,eval-runner=0\n`,
  );
  const command = [hubBinary, 'start', '--data', data];
  const { hub, until, ended } = startHub({ PORT: '0', DATA_DIR: '' }, command, here);
  await until(/Agent Hub is ready/);
  hub.kill('SIGTERM');
  await ended();
  expect([readdirSync(here), existsSync(join(data, 'hub.sqlite'))]).toEqual([[], true]);
  rmSync(folder, { recursive: true, force: true });
});
