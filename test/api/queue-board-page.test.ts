/** The queue dashboard in a real browser without internet access, as an operator sees it. */
import { expect, test } from 'bun:test';
import { queueNames } from '#domain/jobs/job-kinds.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { useBrowser } from '#test/harness/browser.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { testOperatorKey } from '#test/harness/secret-key.ts';
import { lightnessOf, type Visit, visitPage } from '#test/harness/visit-page.ts';

const runId = '01900000-0000-7000-8000-00000000abcd';

const hub = useTestHub();
const browser = useBrowser();

test.each([
  ['light', 200, 255],
  ['dark', 0, 60],
] as const)('lists the queues, opens one, and a job in it, %s', async (colorScheme, darkest, lightest) => {
  const evalRuns = openQueue(hub.deps.redis, 'eval-runs', hub.deps.logger);
  await evalRuns.add('run', { runId }, { jobId: 'a-job', attempts: 3, delay: 3_600_000 });
  const look = async ({ page }: Visit): Promise<void> => {
    for (const name of queueNames) await page.getByRole('link', { name }).first().waitFor();
    expect(await lightnessOf(page)).toBeWithin(darkest, lightest + 1);
    await page.getByRole('link', { name: 'eval-runs' }).first().click();
    await page.getByRole('link', { name: /delayed/i }).click();
    await page.getByRole('link', { name: 'a-job' }).click();
    await page.waitForURL('**/queue/eval-runs/a-job**');
    await page.getByText(runId).waitFor();
    await page.getByRole('tab', { name: 'Options' }).click();
    await page.getByText('attempts', { exact: false }).first().waitFor();
    await page.getByRole('tab', { name: 'Logs' }).click();
  };
  // As an operator who has entered the key in the browser's password dialog.
  const httpCredentials = { username: 'operator', password: testOperatorKey };
  await visitPage(browser, `${hub.url}/admin/queues`, look, { httpCredentials, colorScheme });
});
