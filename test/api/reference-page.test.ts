/** The API reference at /docs in a real browser without internet access. */
import { expect, test } from 'bun:test';
import { useBrowser } from '#test/harness/browser.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { lightnessOf, type Visit, visitPage } from '#test/harness/visit-page.ts';

const hub = useTestHub();
const browser = useBrowser();

test('lists every operation, expands one, lets readers try operations without a token and search, and follows the dark mode', async () => {
  const { body: document } = await hub.fetch('/openapi.json');
  const operations = [document.paths, document.webhooks].flatMap((part: Record<string, object>) =>
    Object.values(part).flatMap(Object.keys),
  );
  const look = async ({ page, requests }: Visit): Promise<void> => {
    await page.locator('.opblock').first().waitFor();
    expect(await page.locator('.opblock').count()).toBe(operations.length);
    expect(await lightnessOf(page)).toBeGreaterThanOrEqual(200);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html.dark-mode').waitFor({ state: 'attached' });
    expect(await lightnessOf(page)).toBeLessThanOrEqual(60);

    const redeem = page.locator('.opblock-post', { has: page.locator('[data-path="/v1/redemptions"]') });
    await redeem.locator('.opblock-summary-control').click();
    // The declared example of the body, not one generated from a pattern.
    await redeem.getByText('https://agent.example/answer').first().waitFor();
    await redeem.getByText('too_many_open_jobs').first().waitFor();

    const health = page.locator('.opblock-get', { has: page.locator('[data-path="/v1/health"]') });
    await health.locator('.opblock-summary-control').click();
    await health.getByRole('button', { name: 'Try it out' }).click();
    await health.getByRole('button', { name: 'Execute' }).click();
    await health.locator('.live-responses-table').getByText('auth_algorithms').waitFor();
    // At the origin of the page, whatever the base URL says.
    expect(requests).toContain(`${hub.url}/v1/health`);

    const search = page.getByPlaceholder('Filter by tag');
    const starting = page.getByText('Start a thread');
    await search.fill('post /v1/threads reply');
    await starting.waitFor({ state: 'detached' });
    expect(await page.getByText('Reply to a thread').count()).toBe(1);
    await search.fill('');
    await starting.waitFor();
    expect(await page.locator('.opblock-tag').first().getAttribute('data-tag')).toBe('agents');
    const home = page.getByRole('link', { name: 'Agent Hub', exact: true });
    expect(await home.getAttribute('href')).toBe('./');
  };
  await visitPage(browser, `${hub.url}/docs`, look, { colorScheme: 'light' });
});
