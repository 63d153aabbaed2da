/** Keeps the Postgres cluster for one test run, behind a transaction pooler if `TEST_POSTGRES_POOLED` is set. */
import { join } from 'node:path';
import { startPooler } from '../pgbouncer.ts';
import { startCluster } from '../postgres-cluster.ts';
import { createMigratedTemplate } from '../postgres.ts';
import { keepForRun } from '../run-share.ts';

const stopTimeoutMs = 5000;
const isPooled = Boolean(process.env['TEST_POSTGRES_POOLED']);

await keepForRun(async (folder) => {
  const cluster = await startCluster(join(folder, 'cluster'));
  await createMigratedTemplate(cluster.url);
  const pooler = isPooled ? await startPooler(cluster.url, join(folder, 'pooler')) : null;
  return {
    place: pooler === null ? cluster.url : `${pooler.urlOf(cluster.url)}?pool_mode=transaction`,
    end: async () => {
      await pooler?.stop();
      await cluster.stop(stopTimeoutMs);
    },
  };
});
