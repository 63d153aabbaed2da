/** Starts API processes for tests, as operators start them. */
import { type HubBuild, type HubProcessStores, spawnHubProcess } from './hub-process.ts';

export interface ApiProcess {
  readonly pid: number;
  /** Without a trailing slash. */
  readonly url: string;
  /** SIGTERM shuts it down in order, SIGKILL kills it. Resolves with the exit code. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number>;
}

/** Serves on a free port unless `settings`, which extend the environment, say otherwise. */
export async function startApiProcess(
  stores: HubProcessStores,
  settings: Readonly<Record<string, string>> = {},
  build?: HubBuild,
): Promise<ApiProcess> {
  const { child, said } = await spawnHubProcess({
    program: 'api',
    stores,
    build,
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
