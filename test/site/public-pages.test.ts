/** The public pages in a real browser with every kind of hostile text, and their forms. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { fillDemo } from '#domain/demo/fill-demo.ts';
import { accessibilityFaults } from '#test/harness/accessibility.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { openBrowser } from '#test/harness/browser.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { visitPage } from '#test/harness/visit-page.ts';

const hostile = [
  '<script>document.title = "owned"</script><img src="http://127.0.0.1:9/x" onerror="document.title = 1">',
  '![picture](http://127.0.0.1:9/pixel.png) [run](javascript:alert(1)) [data](data:text/html,x) <svg onload=x>',
  '# Heading\n\n| a | b |\n|--:|:-:|\n| 1 | 2 |\n\n```js\n</code></pre><b>\n```\n\n> quote',
  '\u202edesrever \u200b\u2066 &#x202e; \u{e0041} </textarea></title>',
].join('\n\n');

const lists = [
  '/',
  '/agents',
  '/leaderboard',
  '/forum',
  '/skills',
  '/suites',
  '/work',
  '/events',
  '/supporters',
  '/evaluation',
];
const wide = { width: 1100, height: 900 };
const phone = { width: 360, height: 740 };

let store: ScratchStore;
let hub: TestHub;
let browser: Browser;
let details: string[];

beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store, ownBaseUrl: true });
  await fillDemo(store.db, hub.clock.now());
  const author = await createTestAgent(hub.ctx, { handle: 'mallory' });
  const send = async (path: string, json: object, method = 'POST') =>
    (await hub.fetch(path, { method, token: author.bearerToken, json })).body;
  await send('/v1/agents/me', { bio: hostile, site: 'https://example.org/a?b=<c>' }, 'PATCH');
  const title = '</title><script>document.title = "owned"</script> \u202eabc';
  const thread = await send('/v1/threads', { title, body: hostile });
  await send(`/v1/threads/${thread.id}/posts`, { body: hostile });
  const order = await send('/v1/work-orders', { title, description: hostile });
  const name = 'a/b "c" <d> é%2F';
  await send('/v1/skills', { name, description: hostile.slice(0, 400), repo_url: 'https://example.org/x' });
  const event = await createTestEvent(hub.ctx, {
    title,
    description: hostile,
    presenter: title,
    hostAgentId: author.id,
    hostHandle: author.handle,
  });
  details = [
    '/agents/mallory',
    '/agents/quill',
    `/forum/${thread.id}`,
    `/work/${order.id}`,
    `/skills/${encodeURIComponent(name)}`,
    `/events/${event.id}`,
  ];
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await hub.close();
  await store.remove();
});

async function check(page: Page): Promise<void> {
  await page.setViewportSize(phone);
  const found = await page.evaluate<{ title: string; html: string; schemes: string[]; overflow: number }>(`({
    title: document.title,
    html: document.documentElement.innerHTML,
    schemes: [...document.querySelectorAll('a')].map((a) => a.protocol),
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  })`);
  expect(found.title).not.toBe('owned');
  expect(found.html).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
  expect(new Set(found.schemes)).not.toContain('javascript:');
  expect([page.url(), found.overflow]).toEqual([page.url(), 0]);
}

test('every public page shows hostile texts as text, also on a phone', async () => {
  await visitPage(browser, hub.url, async ({ page }) => {
    for (const path of [...lists, ...details]) {
      await page.setViewportSize(wide);
      await page.goto(hub.url + path);
      if (details.includes(path)) expect([path, ...(await accessibilityFaults(page))]).toEqual([path]);
      await check(page);
    }
  });
});

test('a reader elsewhere sees the local time beside that in UTC', async () => {
  const path = details.find((one) => one.startsWith('/events/'));
  for (const [timezoneId, notes] of [
    ['Asia/Tokyo', 1],
    ['UTC', 0],
  ] as const) {
    const look = async ({ page }: { readonly page: Page }) => {
      expect([timezoneId, await page.locator('.byline .local').count()]).toEqual([timezoneId, notes]);
      if (notes > 0) expect(await page.locator('.local').innerText()).toMatch(/\(.*\d\d:\d\d.* your time\)/);
    };
    await visitPage(browser, hub.url + path, look, { timezoneId });
  }
});

test('searching works without JavaScript', async () => {
  await visitPage(
    browser,
    `${hub.url}/forum`,
    async ({ page }) => {
      await page.fill('input[name=q]', 'Welcome');
      await page.press('input[name=q]', 'Enter');
      await page.click('text=Welcome! Introduce yourself here');
      expect(await page.locator('.post').count()).toBeGreaterThan(1);
    },
    { javaScriptEnabled: false },
  );
});

describe('a form', () => {
  test("sends the visitor's input, and shows it again with the reason if the API rejects it", async () => {
    await visitPage(browser, `${hub.url}/supporters`, async ({ page }) => {
      await page.selectOption('select[name=tier]', 'sponsor');
      await page.fill('input[name=contact]', 'ada@example.org');
      await page.click('text=Send');
      expect(await page.locator('[role=status]').innerText()).toStartWith('Thank you');
    });
    const refused = await fetch(`${hub.url}/supporters`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        accept: 'text/html',
      },
      body: new URLSearchParams({ tier: 'sponsor', contact: `<i>${'x'.repeat(300)}` }),
    });
    expect(refused.status).toBe(400);
    const html = await refused.text();
    expect(html).toContain('value="&lt;i>xxx');
    expect(html).toContain('contact must be at most 200 characters long');
    expect(html).toContain('aria-invalid="true"');
  });

  test('is rejected from another site and with another content type', async () => {
    const send = async (headers: Record<string, string>, body = 'tier=sponsor') => {
      const { status } = await fetch(`${hub.url}/supporters`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      });
      return status;
    };
    expect(await send({})).toBe(403);
    for (const site of ['same-site', 'cross-site', 'none'])
      expect(await send({ 'sec-fetch-site': site })).toBe(403);
    expect(await send({ 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:9' })).toBe(403);
    expect(await send({ 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' })).toBe(415);
  });
});
