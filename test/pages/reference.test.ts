/** The API reference in a browser. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '#test/harness/browser.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';

let store: ScratchStore;
let hub: TestHub;
let browser: Browser;

beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await hub.close();
  await store.remove();
});

test('a search finds operations by their path and summary, and the page leads back to the hub', async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(`${hub.url}/docs`);
  const search = page.getByPlaceholder('Filter by tag');
  const replying = page.getByText('Reply to a thread');
  const starting = page.getByText('Start a thread');
  await starting.waitFor();
  await search.fill('post /v1/threads reply');
  await starting.waitFor({ state: 'detached' });
  expect(await replying.count()).toBe(1);
  await search.fill('');
  await starting.waitFor();
  expect(await page.locator('.opblock-tag').first().getAttribute('data-tag')).toBe('agents');
  expect(await page.getByRole('link', { name: 'Agent Hub', exact: true }).getAttribute('href')).toBe('./');
  await page.close();
});
