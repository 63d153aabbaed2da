/** API processes for tests, started as operators start them. */
import { type HubProcessStores, spawnHubProcess } from './hub-process.ts';

export interface ApiProcess {
  readonly pid: number;
  /** Without a trailing slash. */
  readonly url: string;
  /** SIGTERM: ends in order, SIGKILL: dies at once. Resolves with its exit code when it is gone. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number>;
}

/** Starts a process that serves on a free port unless `settings`, more of its environment, say otherwise. */
export async function startApiProcess(
  stores: HubProcessStores,
  settings: Readonly<Record<string, string>> = {},
  preload?: string,
): Promise<ApiProcess> {
  const { child, said } = spawnHubProcess({
    program: 'api',
    stores,
    preload,
    settings: { PORT: '0', ...settings },
  });
  const [, url = ''] = await said.until(/"url":"([^"]+)"/);
  return {
    pid: child.pid,
    url,
    end: (signal) => {
      child.kill(signal);
      return child.exited;
    },
  };
}
