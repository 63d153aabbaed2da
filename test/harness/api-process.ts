/** Starts API processes for tests, as operators start them. */
import { type HubProcessStores, type Preload, spawnHubProcess } from './hub-process.ts';

export type ApiProcess = Awaited<ReturnType<typeof startApiProcess>>;

/** Serves on a free port unless `settings`, which extend the environment, say otherwise. */
export async function startApiProcess(
  stores: HubProcessStores,
  settings: Readonly<Record<string, string>> = {},
  preload?: Preload,
) {
  const all = { PORT: '0', ...settings };
  const { child, said, end } = await spawnHubProcess({ program: 'api', stores, preload, settings: all });
  const [, url = ''] = await said.until(/"url":"([^"]+)"/);
  return { pid: child.pid, url, end };
}
