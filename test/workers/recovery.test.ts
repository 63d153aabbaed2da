import { test } from 'bun:test';
import { onStore } from '#test/harness/stores.ts';
import { prepareRecovery, testMaxMs, recoveryMaxMs } from './prepare-recovery.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

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

onStore('postgres', (store) => {
  const recovery = prepareRecovery(store);
  const { startWorker, acceptJobs, readJobs, waitUntilMidway, expectAllSettledOnce, forget } = recovery;

  test(
    'a runner is stopped past its lease and continued: its runs were taken over, and it changes nothing',
    async () => {
      await startWorker('sweeper');
      const stalled = await startWorker('eval-runner');
      const accepted = await acceptJobs(3);
      await waitUntilMidway(accepted);
      await recovery.stopBetweenTransactions(stalled);
      const second = await startWorker('eval-runner');
      await waitUntil(
        async () =>
          (await readJobs([...accepted.goodJobs, ...accepted.brokenJobs])).every(
            (job) => job.finishedAt !== null,
          ),
        recoveryMaxMs,
        'all have ended without the stalled runner',
      );
      stalled.signal('SIGCONT');
      await Bun.sleep(500);
      await expectAllSettledOnce(accepted);
      await second.end('SIGTERM');
      forget(second);
    },
    testMaxMs,
  );
});
