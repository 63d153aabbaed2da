import { test } from 'bun:test';
import { onStore } from '#test/harness/stores.ts';
import { prepareRecovery, testMaxMs } from './prepare-recovery.ts';

onStore('sqlite', (store) => {
  const { startWorker, acceptJobs, waitUntilMidway, expectAllSettledOnce, emptyRedis, forget } =
    prepareRecovery(store);

  test(
    'a runner is killed during its runs: another one continues them, and each job ends once',
    async () => {
      await startWorker('sweeper');
      const first = await startWorker('eval-runner');
      const accepted = await acceptJobs(2);
      await waitUntilMidway(accepted);
      await first.end('SIGKILL');
      forget(first);
      await startWorker('eval-runner');
      await expectAllSettledOnce(accepted);
    },
    testMaxMs,
  );

  test(
    'Redis is emptied during the runs, with jobs waiting: each job ends once',
    async () => {
      const accepted = await acceptJobs(4);
      await waitUntilMidway(accepted);
      await emptyRedis();
      await expectAllSettledOnce(accepted);
    },
    testMaxMs,
  );
});
