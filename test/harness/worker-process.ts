/** Worker processes for tests, started as operators start them. */
import { join } from 'node:path';
import type { DatabaseSetting } from '#db/open-database.ts';
import { testSecretKey } from './secret-key.ts';
import type { PoolName } from '#workers/pools.ts';

export interface WorkerProcess {
  readonly pid: number;
  /** Where it answers operators. */
  readonly operatorUrl: string;
  /** SIGTERM: ends in order, SIGKILL: dies at once. Resolves when it is gone. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

export interface WorkerStores {
  readonly database: DatabaseSetting;
  readonly redisUrl: string;
}

/** Generous: another process may have the machine for a while. */
const readyTimeoutMs = 60_000;

/** Starts a process that runs `pools`, and waits until it works. `settings` are more of its environment. */
export async function startWorkerProcess(
  pools: readonly PoolName[],
  { database, redisUrl }: WorkerStores,
  settings: Readonly<Record<string, string>> = {},
): Promise<WorkerProcess> {
  const main = join(import.meta.dirname, '..', '..', 'workers', 'main.ts');
  const words = [...pools.flatMap((pool) => ['--pool', pool]), '--metrics-port', '0'];
  const child = Bun.spawn([process.execPath, main, ...words], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DATABASE_URL: database.kind === 'sqlite' ? `sqlite:${database.file}` : database.url,
      REDIS_URL: redisUrl,
      SECRET_KEY: testSecretKey,
      EVAL_CALL_TIMEOUT_MS: '2000',
      ...settings,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const said = await waitForLine(child.stdout, '"working"');
  return {
    pid: child.pid,
    operatorUrl: /"metrics":"([^"]+)"/.exec(said)?.[1] ?? '',
    end: async (signal) => {
      child.kill(signal);
      await child.exited;
    },
    signal: (signal) => child.kill(signal),
  };
}

/** Reads on after the line, so that the child never waits for somebody to read its log. */
async function waitForLine(output: ReadableStream<Uint8Array>, wanted: string): Promise<string> {
  const found = Promise.withResolvers<string>();
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of output) {
      text = (text + decoder.decode(chunk, { stream: true })).slice(-10_000);
      if (text.includes(wanted)) found.resolve(text);
    }
    found.reject(new Error(`The worker ended before it worked. It said:\n${text}`));
  };
  read().catch(found.reject);
  return Promise.race([
    found.promise,
    Bun.sleep(readyTimeoutMs).then(() => {
      throw new Error('The worker was not ready in time.');
    }),
  ]);
}
