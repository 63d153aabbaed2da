/** API processes for tests, started as operators start them. */
import { join } from 'node:path';
import type { DatabaseSetting } from '#db/open-database.ts';
import { testSecretKey } from './secret-key.ts';

export interface ApiProcess {
  /** Without a trailing slash. */
  readonly url: string;
  /** SIGTERM: ends in order, SIGKILL: dies at once. Resolves with its exit code when it is gone. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number>;
}

export interface ApiStores {
  readonly database: DatabaseSetting;
  readonly redisUrl: string;
}

/** Generous: another process may have the machine for a while. */
const readyTimeoutMs = 60_000;

/** Starts a process that serves on a free port unless `settings`, more of its environment, say otherwise. */
export async function startApiProcess(
  { database, redisUrl }: ApiStores,
  settings: Readonly<Record<string, string>> = {},
): Promise<ApiProcess> {
  const main = join(import.meta.dirname, '..', '..', 'api', 'main.ts');
  const child = Bun.spawn([process.execPath, main], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DATABASE_URL: database.kind === 'sqlite' ? `sqlite:${database.file}` : database.url,
      REDIS_URL: redisUrl,
      SECRET_KEY: testSecretKey,
      PORT: '0',
      ...settings,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const listening = Promise.withResolvers<string>();
  const timer = setTimeout(
    () => listening.reject(new Error('The API was not ready in time.')),
    readyTimeoutMs,
  );
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let text = '';
    // Reads on afterwards, so that the child never waits for somebody to read its log.
    for await (const chunk of child.stdout) {
      text = (text + decoder.decode(chunk, { stream: true })).slice(-10_000);
      const url = /"url":"([^"]+)"/.exec(text)?.[1];
      if (url !== undefined) listening.resolve(url);
    }
    listening.reject(new Error(`The API ended before it listened. It said:\n${text}`));
  };
  read().catch(listening.reject);
  const url = await listening.promise.finally(() => clearTimeout(timer));
  return {
    url,
    end: (signal) => {
      child.kill(signal);
      return child.exited;
    },
  };
}
