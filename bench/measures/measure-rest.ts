/** Memory and CPU of an idle hub: supervisor, private Redis, API and all pools, as `npm start` runs them. */
import { delimiter, join } from 'node:path';
import { settlePort } from '#cli/supervisor/settle-defaults.ts';
import { UNPACKED_REDIS_DIR } from '#runtime/redis/find-redis-server.mjs';
import type { BenchEnvironment } from '../bench-environment.ts';
import { inheritedEnvironment } from '../processes/start-child.ts';
import { canSeeProcesses, cpuMsOfAll, memoryOf, processTree } from '../processes/process-usage.ts';
import { databaseUrlOf } from '../stores/bench-stores.ts';
import { atMost, format, type Row } from '../table.ts';

/** PSS counts shared pages once, RSS in each process. */
const pssMaxMb = 180;
const cpuShareMax = 0.02;
const readyTimeoutMs = 60_000;
const stopTimeoutMs = 60_000;
const readyWords = 'Agent Hub is ready';
/** The end of the hub's output that is searched for them. */
const textMax = 10_000;

export async function measureRest(env: BenchEnvironment): Promise<readonly Row[]> {
  if (!canSeeProcesses) return [{ measure: 'the hub at rest', hub: 'only measured on Linux' }];
  const { settleMs, restMs } = env.size;
  const hub = await startHub(env);
  await Bun.sleep(settleMs);
  const pids = processTree(hub.pid);
  const cpuBefore = cpuMsOfAll(pids);
  await Bun.sleep(restMs);
  const cpuMs = cpuMsOfAll(pids) - cpuBefore;
  const { rssMb, pssMb } = memoryOf(pids);
  return [
    {
      measure: `hub at rest, ${pids.length} processes: PSS, MB`,
      hub: format(pssMb),
      aim: atMost(pssMaxMb, pssMb),
    },
    { measure: '  RSS, MB', hub: format(rssMb) },
    {
      measure: `  CPU seconds in ${restMs / 1000} s`,
      hub: format(cpuMs / 1000, 2),
      aim: atMost((restMs / 1000) * cpuShareMax, cpuMs / 1000),
    },
  ];
}

/** Runs the whole hub until the end of the measure. Resolves when it is ready. */
async function startHub(env: BenchEnvironment): Promise<{ readonly pid: number }> {
  const { store, folder, stack } = env;
  const setting = await store.createDatabase('rest');
  const hub = Bun.spawn(env.hub === null ? [process.execPath, 'cli/start.ts'] : [env.hub, 'start'], {
    cwd: join(import.meta.dir, '..', '..'),
    detached: true,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
    env: {
      ...inheritedEnvironment(),
      // The binary does not know the Redis that the set-up has unpacked for the sources.
      PATH: [process.env['PATH'], UNPACKED_REDIS_DIR].join(delimiter),
      HOST: '127.0.0.1',
      PORT: String(await settlePort('127.0.0.1', 0)),
      DATA_DIR: join(folder, `${store.dialect}-rest`),
      DATABASE_URL: databaseUrlOf(setting),
    },
  });
  stack.defer(async () => {
    const killTimer = setTimeout(() => hub.kill('SIGKILL'), stopTimeoutMs);
    hub.kill('SIGTERM');
    await hub.exited;
    clearTimeout(killTimer);
  });
  const readyTimer = setTimeout(() => hub.kill('SIGTERM'), readyTimeoutMs);
  const isReady = await says(readyWords, hub.stdout);
  clearTimeout(readyTimer);
  if (!isReady) throw new Error('The hub did not start.');
  return { pid: hub.pid };
}

/** Whether the text appears in the stream. The rest is read and dropped, so that the hub never blocks. */
async function says(words: string, stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<boolean> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  for (let text = ''; !text.includes(words);) {
    const { value, done } = await reader.read();
    if (done) return false;
    text = (text + decoder.decode(value, { stream: true })).slice(-textMax);
  }
  reader.releaseLock();
  void stream.pipeTo(new WritableStream());
  return true;
}
