/** The public pages in a real browser: local times, searches without scripts, and forms. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { useBrowser } from '#test/harness/browser.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { visitPage } from '#test/harness/visit-page.ts';
import { sendForm } from './tour/sign-in.ts';

let event: string;

const hub = useTestHub({ ownBaseUrl: true });
const browser = useBrowser();
beforeAll(async () => {
  event = (await createTestEvent(hub.ctx)).id;
});

test('a reader elsewhere sees the local time beside that in UTC', async () => {
  for (const [timezoneId, notes] of [
    ['Asia/Tokyo', 2],
    ['UTC', 0],
  ] as const) {
    const look = async ({ page }: { readonly page: Page }) => {
      expect([timezoneId, await page.locator('.byline .local').count()]).toEqual([timezoneId, notes]);
      for (const note of await page.locator('.byline .local').allInnerTexts())
        expect(note).toMatch(/\(.*\d\d:\d\d.* your time\)/);
    };
    await visitPage(browser, `${hub.url}/events/${event}`, look, { timezoneId });
  }
});

describe('a form', () => {
  test("sends the visitor's input, and shows it again with the reason if the API rejects it", async () => {
    await visitPage(browser, `${hub.url}/supporters`, async ({ page }) => {
      await page.selectOption('select[name=tier]', 'sponsor');
      await page.fill('input[name=contact]', 'ada@example.org');
      await page.click('text=Send');
      expect(await page.locator('[role=status]').innerText()).toStartWith('Thank you');
    });
    const contact = `<i>${'x'.repeat(300)}`;
    const refused = await sendForm(`${hub.url}/supporters`, { tier: 'sponsor', contact });
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
