import { test } from 'bun:test';
import { onStore } from '#test/harness/stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { prepareRecovery, recoveryMaxMs, testMaxMs } from './prepare-recovery.ts';

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
