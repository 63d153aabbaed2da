/** Keeps the Postgres cluster for one test run behind a transaction pooler. */
import { join } from 'node:path';
import { startPooler } from '../pgbouncer.ts';
import { startCluster } from '../postgres-cluster.ts';
import { createMigratedTemplate } from '../postgres.ts';
import { keepForRun } from '../run-share.ts';

const stopTimeoutMs = 5000;

await keepForRun(async (folder) => {
  const cluster = await startCluster(join(folder, 'cluster'));
  await createMigratedTemplate(cluster.url);
  const pooler = await startPooler(cluster.url, join(folder, 'pooler'));
  return {
    place: `${pooler.urlOf(cluster.url)}?pool_mode=transaction`,
    end: async () => {
      await pooler.stop();
      await cluster.stop(stopTimeoutMs);
    },
  };
});
