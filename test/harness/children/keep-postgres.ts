/** Keeps the Postgres cluster for one test run. */
import { join } from 'node:path';
import { startCluster } from '../postgres-cluster.ts';
import { createMigratedTemplate } from '../postgres.ts';
import { keepForRun } from '../run-share.ts';

const stopTimeoutMs = 5000;

await keepForRun(async (folder) => {
  const cluster = await startCluster(join(folder, 'cluster'));
  await createMigratedTemplate(cluster.url);
  return { place: cluster.url, end: () => cluster.stop(stopTimeoutMs) };
});
