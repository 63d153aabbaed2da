/** Worker processes for tests, started as operators start them. */
import { join } from 'node:path';
import type { DatabaseSetting } from '#db/open-database.ts';
import { testSecretKey } from './secret-key.ts';
import type { PoolName } from '#workers/pools.ts';

export interface WorkerProcess {
  readonly pid: number;
  /** Where it answers operators. */
  readonly operatorUrl: string;
  /** SIGTERM: ends in order, SIGKILL: dies at once. Resolves with its exit code when it is gone. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number>;
  /** Resolves with its exit code when it is gone. */
  readonly exited: Promise<number>;
  /** SIGTERM, and resolves when it has begun to end. */
  tellToEnd(): Promise<void>;
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
  const said = follow(child.stdout);
  await said.until('"working"');
  return {
    pid: child.pid,
    operatorUrl: /"metrics":"([^"]+)"/.exec(said.text())?.[1] ?? '',
    end: (signal) => {
      child.kill(signal);
      return child.exited;
    },
    exited: child.exited,
    tellToEnd: () => {
      child.kill('SIGTERM');
      return said.until('"shutting down"');
    },
    signal: (signal) => child.kill(signal),
  };
}

/** Reads to the end, so that the child never waits for somebody to read its log. */
function follow(output: ReadableStream<Uint8Array>) {
  let text = '';
  let ended = false;
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of output) text = (text + decoder.decode(chunk, { stream: true })).slice(-10_000);
  };
  void read().finally(() => (ended = true));
  return {
    text: () => text,
    until: async (wanted: string): Promise<void> => {
      const giveUpAt = performance.now() + readyTimeoutMs;
      while (!text.includes(wanted)) {
        if (ended) throw new Error(`The worker ended before it said ${wanted}. It said:\n${text}`);
        if (performance.now() > giveUpAt) throw new Error(`The worker did not say ${wanted} in time.`);
        await Bun.sleep(10);
      }
    },
  };
}
