/** The queue dashboard in a real browser without internet access, as an operator sees it. */
import { beforeAll, expect, test } from 'bun:test';
import type { BrowserContextOptions } from 'playwright-core';
import { queueNames } from '#domain/jobs/job-kinds.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { useBrowser } from '#test/harness/browser.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { lightnessOf, type Visit, visitPage } from '#test/harness/visit-page.ts';

const operatorKey = 'the-operators-own-key';
const jobId = 'a-job-to-look-at';
const runId = '01900000-0000-7000-8000-00000000abcd';

const hub = useTestHub({ settings: { operatorKey } });
const browser = useBrowser();
beforeAll(async () => {
  const evalRuns = openQueue(hub.deps.redis, 'eval-runs', hub.deps.logger);
  await evalRuns.add('run', { runId }, { jobId, attempts: 3, delay: 3_600_000 });
});

/** Opens the dashboard as an operator who has entered the key in the browser's password dialog. */
function visit(look: (visit: Visit) => Promise<void>, options: BrowserContextOptions = {}) {
  return visitPage(browser, `${hub.url}/admin/queues`, look, {
    httpCredentials: { username: 'operator', password: operatorKey },
    ...options,
  });
}

test.each([
  ['light', 200, 255],
  ['dark', 0, 60],
] as const)('lists the queues, opens one, and a job in it, %s', async (colorScheme, darkest, lightest) => {
  await visit(
    async ({ page }) => {
      for (const name of queueNames) await page.getByRole('link', { name }).first().waitFor();
      const lightness = await lightnessOf(page);
      expect([colorScheme, lightness >= darkest && lightness <= lightest]).toEqual([colorScheme, true]);
      await page.getByRole('link', { name: 'eval-runs' }).first().click();
      await page.getByRole('link', { name: /delayed/i }).click();
      await page.getByRole('link', { name: jobId }).click();
      await page.waitForURL(`**/queue/eval-runs/${jobId}**`);
      await page.getByText(runId).waitFor();
      await page.getByRole('tab', { name: 'Options' }).click();
      await page.getByText('attempts', { exact: false }).first().waitFor();
      await page.getByRole('tab', { name: 'Logs' }).click();
    },
    { colorScheme },
  );
});
