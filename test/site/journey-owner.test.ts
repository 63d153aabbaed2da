/**
 * An owner goes from `npm start` through a sign-in link of `hub open` to runs and events, in a browser with
 * JavaScript, without it, and with the keyboard alone.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { useBrowser } from '#test/harness/browser.ts';
import { runHubCommand } from '#test/harness/hub-command.ts';
import { startTarget, type TestTarget } from '#test/harness/target.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { follow, visitPage } from '#test/harness/visit-page.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startHub, type WholeHub } from '#test/harness/whole-hub.ts';

const hourMs = 60 * 60 * 1_000;
/** Enough for an introduction and a first case with all its turns, so that the page shows progress. */
const heldAfter = 12;

const folder = useTestFolder();
let running: WholeHub;
let url: string;
let target: TestTarget;
let maintainer: string;
let eventId: string;

/** The target replies to a few cases, and to the others only once the gate is open. */
let gate = Promise.withResolvers<void>();
let replies = 0;

const browser = useBrowser();
beforeAll(async () => {
  const key = (await hub('keygen', join(folder, 'clerk.pem'))) as { did: string };
  running = startHub({ PORT: '0', MAINTAINER_DIDS: key.did });
  url = (await running.until(/Site +(http:\S+)\/ /))[1] ?? '';
  target = startTarget(async () => {
    replies += 1;
    if (replies > heldAfter) await gate.promise;
    return 'I cannot tell.';
  });
  maintainer = await signUp('clerk', 'clerk.pem');
  const startsAt = Date.now() + 72 * hourMs;
  const { event } = await asMaintainer<{ event: { id: string } }>('/v1/events', {
    kind: 'workshop',
    title: 'Planning under uncertainty',
    description: 'Bring a plan.',
    presenter: 'Ada',
    host_handle: 'clerk',
    starts_at: new Date(startsAt).toISOString(),
    ends_at: new Date(startsAt + hourMs).toISOString(),
    seats_total: 5,
    token_price: 0,
  });
  eventId = event.id;
});
afterAll(async () => {
  await target.stop();
  running.hub.kill('SIGTERM');
  await running.ended();
});

const hub = (...words: string[]) => hubAs({}, ...words);

async function hubAs(env: Record<string, string>, ...words: string[]): Promise<unknown> {
  const ended = await runHubCommand([...words, '--json'], env);
  expect([words[0], ended.exitCode, ended.complaints]).toEqual([words[0], 0, '']);
  return ended.json();
}

async function asMaintainer<Body>(path: string, body: object): Promise<Body> {
  const headers = { authorization: `Bearer ${maintainer}`, 'content-type': 'application/json' };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  expect([path, response.ok]).toEqual([path, true]);
  // The caller knows what the hub returns.
  return (await response.json()) as Body;
}

/** @returns the token */
async function signUp(handle: string, keyFile: string): Promise<string> {
  const file = join(folder, keyFile);
  return ((await hubAs({ HUB_URL: url }, 'register', handle, '--key', file)) as { token: string }).token;
}

/** @returns the sign-in link of a new agent */
async function linkOfNewAgent(handle: string): Promise<string> {
  await hub('keygen', join(folder, `${handle}.pem`));
  const token = await signUp(handle, `${handle}.pem`);
  return ((await hubAs({ HUB_URL: url, HUB_TOKEN: token }, 'open')) as { url: string }).url;
}

/** How long a run may take beside other tests. */
const runMs = 100_000;

const statusOf = (page: Page): Promise<string> => page.locator('[role=status]').innerText();

test.each([
  ['with JavaScript', 'ada', true],
  ['without JavaScript', 'bob', false],
] as const)(
  'an owner runs, shares, books and signs out %s',
  async (_, handle, javaScriptEnabled) => {
    const look = async ({ page }: { readonly page: Page }) => {
      await follow(page, 'main button:has-text("Sign in")');
      expect(page.url()).toBe(`${url}/me`);
      gate = Promise.withResolvers();
      replies = 0;
      await followRun(page, javaScriptEnabled);
      await shareRun(page);
      await bookSeat(page, javaScriptEnabled);
      await changeAccount(page);
    };
    await visitPage(browser, await linkOfNewAgent(handle), look, { javaScriptEnabled });
  },
  300_000,
);

/** With JavaScript the page updates itself; without, the owner reloads it. */
async function followRun(page: Page, isLive: boolean): Promise<void> {
  await page.goto(`${url}/me/runs`);
  await page.fill('input[name="target.url"]', target.url);
  await follow(page, '#form-start-eval-run > button');
  expect(await statusOf(page)).toBe('The run is queued.');
  const shows = async (text: string): Promise<void> => {
    const place = page.getByText(new RegExp(text)).first();
    if (isLive) await place.waitFor({ timeout: runMs });
    else await waitUntil(async () => (await page.reload()) !== null && (await place.isVisible()), runMs);
  };
  await shows('[1-9]\\d* of 69 cases done');
  gate.resolve();
  await shows('95% interval');
  expect(await page.locator('.figure .numeral').first().innerText()).toMatch(/^\d+\.\d$/);
}

async function shareRun(page: Page): Promise<void> {
  await follow(page, 'button:has-text("Share")');
  expect(await statusOf(page)).toBe('The run is shared: its link is below.');
  const link = (await page.locator('main a[href*="/s/"]').getAttribute('href')) ?? '';
  await visitPage(browser, new URL(link, url).href, async ({ page: stranger }) => {
    expect(await stranger.locator('h1').innerText()).toBe('Scorecard');
    expect(await stranger.content()).not.toContain(target.url);
  });
  await follow(page, 'button:has-text("Revoke")');
  expect((await fetch(new URL(link, url), { headers: { accept: 'text/html' } })).status).toBe(404);
}

async function bookSeat(page: Page, isLive: boolean): Promise<void> {
  await page.goto(`${url}/events/${eventId}`);
  await follow(page, 'button:has-text("Reserve")');
  expect(await statusOf(page)).toBe('Your seat is reserved.');
  expect(await page.locator('#seats').innerText()).toContain('1 booked');
  await page.goto(`${url}/me/seats`);
  await page.click('summary:has-text("Cancel")');
  expect(await page.locator('.confirmed').innerText()).toContain('Someone else may take your seat.');
  await follow(page, 'button:has-text("Cancel the seat")');
  await page.goto(`${url}/events/${eventId}`);
  expect(await page.locator('#seats').innerText()).toContain('0 booked');
  if (!isLive) return;
  await asMaintainer(`/v1/events/${eventId}/reserve`, { idempotency_key: 'seat-of-clerk' });
  await page.locator('#seats').getByText('1 booked').waitFor();
  await asMaintainer(`/v1/events/${eventId}/cancel`, {});
}

async function changeAccount(page: Page): Promise<void> {
  await page.goto(`${url}/me/runs?product=agent-run`);
  await follow(page, 'main button:has-text("Start")');
  expect(await page.locator('main').innerText()).toContain('0 of 12 cases done');
  await page.goto(`${url}/me/sessions`);
  await follow(page, 'button:has-text("Sign out everywhere")');
  expect(page.url()).toStartWith(`${url}/sign-in`);
}

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  const pressesMax = 60;
  for (let presses = 0; presses < pressesMax; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  throw new Error(`${selector} was not reached with ${pressesMax} presses of Tab.`);
}

test('an owner signs in and starts a thread with the keyboard alone', async () => {
  await visitPage(browser, await linkOfNewAgent('eve'), async ({ page }) => {
    const { keyboard } = page;
    await tabTo(page, 'main button');
    await keyboard.press('Enter');
    await page.waitForURL('**/me');
    await tabTo(page, 'header a[href="/forum"]');
    await keyboard.press('Enter');
    await page.waitForURL('**/forum');
    await tabTo(page, 'main summary');
    await keyboard.press('Enter');
    await tabTo(page, 'input[name=title]');
    await keyboard.type('From the keyboard');
    await tabTo(page, 'textarea[name=body]');
    await keyboard.type('No mouse was used.');
    await tabTo(page, 'main form[method=post] button');
    await keyboard.press('Enter');
    await page.locator('h1:has-text("From the keyboard")').waitFor();
  });
});
