/** The owner's pages in a real browser, from the sign-in link to signing out, and attacks on sessions. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { openBrowser } from '#test/harness/browser.ts';
import { completeAgentRun } from '#test/harness/agent-runs.ts';
import { completeRun, createTestRunner } from '#test/harness/eval-runs.ts';
import { createTestEvent, startTestSeats, type TestSeats } from '#test/harness/events.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { visitPage } from '#test/harness/visit-page.ts';

let store: ScratchStore;
let hub: TestHub;
let seats: TestSeats;
let browser: Browser;
let ada: TestAgent;
let runs: string[];
let agentRun: string;

beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store, ownBaseUrl: true });
  seats = await startTestSeats(hub.ctx, hub.redisUrl);
  ada = await createTestAgent(hub.ctx, { handle: 'ada', tokens: 9 });
  const runner = createTestRunner(hub.ctx, hub.redisUrl);
  runs = [await completeRun(runner, ada.id), await completeRun(runner, ada.id, () => 'I cannot tell.')];
  runner.close();
  agentRun = await completeAgentRun({ ...hub.ctx, agent: ada }, 'first');
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await seats.stop();
  await hub.close();
  await store.remove();
});

async function linkFor(agent: TestAgent): Promise<string> {
  const link = await hub.fetch('/v1/agents/me/sign-in-links', { method: 'POST', token: agent.bearerToken });
  expect(link.status).toBe(201);
  return link.body.url;
}

/** Sends a form as a browser does. */
function send(url: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(fields),
    headers: { 'sec-fetch-site': 'same-origin', accept: 'text/html', ...headers },
  });
}

async function cookieFor(agent: TestAgent): Promise<string> {
  const response = await send(await linkFor(agent), {});
  expect([response.status, response.headers.get('location')]).toEqual([303, '/me']);
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

test('an owner signs in through a link and uses every page, without JavaScript', async () => {
  const event = await createTestEvent(hub.ctx, { tokenPrice: 1 });
  await visitPage(
    browser,
    await linkFor(ada),
    async ({ page }) => {
      await page.click('text="Sign in" >> nth=-1');
      expect(page.url()).toBe(`${hub.url}/me`);
      for (const path of [
        '/me/runs',
        `/me/runs/${runs[0]}`,
        `/me/compare/${runs[0]}/${runs[1]}`,
        `/me/compare/${runs[0]}/${runs[1]}?pool=true`,
        `/me/agent-runs/${agentRun}`,
        '/me/tokens',
      ]) {
        await page.goto(hub.url + path);
        expect(await page.locator('h1').count()).toBe(1);
      }
      await page.goto(`${hub.url}/me/agent-runs`);
      await page.click('main button:has-text("Start")');
      expect(await page.locator('main').innerText()).toContain('0 of 24 tasks done');
      await page.goto(`${hub.url}/events/${event.id}`);
      await page.click('text=Reserve');
      expect(await page.locator('[role=status]').innerText()).toBe('Your seat is reserved.');
      await page.goto(`${hub.url}/me/seats`);
      await page.click('button:has-text("Cancel")');
      expect(await page.locator('main').innerText()).toContain('cancelled');
      await page.goto(`${hub.url}/forum`);
      await page.click('summary:has-text("Start a thread")');
      await page.fill('input[name=title]', 'A thread from the site');
      await page.fill('textarea[name=body]', 'First *post*.\nSecond line.');
      await page.click('text=Post >> nth=-1');
      await page.fill('#form-reply textarea', 'A reply.');
      await page.click('button:has-text("Reply")');
      expect(await page.locator('.post').count()).toBe(2);
      await page.click('summary:has-text("Edit") >> nth=1');
      await page.fill('.post >> nth=1 >> textarea', 'A better reply.');
      await page.click('.post >> nth=1 >> button:has-text("Edit")');
      expect(await page.locator('.post >> nth=1 >> .text').innerText()).toBe('A better reply.');
      await page.click('[aria-label="Delete post 2"]');
      expect(await page.locator('.post >> nth=1').innerText()).toContain('deleted');
      await page.goto(`${hub.url}/me/account`);
      await page.fill('textarea[name=bio]', 'I am **ada**.');
      await page.click('text=Save');
      expect(await page.locator('[role=status]').innerText()).toBe('Your profile is saved.');
      await page.goto(`${hub.url}/me/sessions`);
      await page.click('text=Sign out everywhere');
      expect(page.url()).toStartWith(`${hub.url}/sign-in`);
    },
    { javaScriptEnabled: false },
  );
});

describe('a session', () => {
  test('does not start when the link is viewed, twice, or from another site', async () => {
    const link = await linkFor(ada);
    for (let i = 0; i < 3; i += 1) {
      const seen = await fetch(link, { headers: { accept: 'text/html' } });
      expect([seen.status, seen.headers.get('set-cookie')]).toEqual([200, null]);
      expect(seen.headers.get('cache-control')).toBe('private, no-store');
    }
    expect((await send(link, {}, { 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await send(link, {}, { origin: 'http://127.0.0.1:9' })).status).toBe(403);
    const started = await send(link, {});
    expect(started.headers.get('set-cookie')).toMatch(
      /^hub=[\w-]{43}; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Lax$/,
    );
    expect((await send(link, {})).status).toBe(410);
    expect((await send(`${hub.url}/sign-in/${'x'.repeat(43)}`, {})).status).toBe(404);
  });

  test('ends with its token, and a fixed or foreign cookie opens nothing', async () => {
    const bob = await createTestAgent(hub.ctx);
    const cookie = await cookieFor(bob);
    const open = (value: string) =>
      fetch(`${hub.url}/me`, { redirect: 'manual', headers: { cookie: value, accept: 'text/html' } });
    const mine = await open(cookie);
    expect([mine.status, mine.headers.get('cache-control'), mine.headers.get('etag')]).toEqual([
      200,
      'private, no-store',
      null,
    ]);
    expect((await open(`hub=${'A'.repeat(43)}`)).headers.get('location')).toBe('/sign-in');
    const foreign = await fetch(`${hub.url}/me/runs/${runs[0]}`, {
      headers: { cookie, accept: 'text/html' },
    });
    expect(foreign.status).toBe(404);
    expect((await fetch(`${hub.url}/desk`, { headers: { cookie, accept: 'text/html' } })).status).toBe(404);
    const api = await hub.fetch('/v1/agents/me', { headers: { cookie } });
    expect(api.status).toBe(401);
    await hub.fetch(`/v1/agents/me/tokens/${bob.tokenId}`, { method: 'DELETE', token: bob.bearerToken });
    const ended = await open(cookie);
    expect([ended.status, ended.headers.get('location')]).toEqual([303, '/sign-in']);
    expect(ended.headers.get('set-cookie')).toStartWith('hub=; ');
  });

  test("shows a rejected form with the visitor's input", async () => {
    const cookie = await cookieFor(await createTestAgent(hub.ctx, { freeEvalTaken: true }));
    const refused = await send(
      `${hub.url}/me/runs`,
      { _form: 'start', product: 'eval-run', 'target.url': 'ftp://x"<b>' },
      { cookie },
    );
    const html = await refused.text();
    expect([
      refused.status,
      html.includes('value="ftp://x&quot;&lt;b>"'),
      html.includes('aria-invalid="true"'),
      html.includes('role="alert"'),
    ]).toEqual([400, true, true, true]);
    expect((await send(`${hub.url}/me/runs`, { _form: 'start' })).headers.get('location')).toBe('/sign-in');
  });
});

describe('the API', () => {
  test('lists and ends sessions', async () => {
    const eve = await createTestAgent(hub.ctx);
    await cookieFor(eve);
    await cookieFor(eve);
    const token = eve.bearerToken;
    const { body } = await hub.fetch('/v1/agents/me/sessions', { token });
    expect(body.sessions).toHaveLength(2);
    const end = (path: string) => hub.fetch(`/v1/agents/me/sessions${path}`, { method: 'DELETE', token });
    expect((await end(`/${body.sessions[0].id}`)).body).toEqual({ ok: true });
    expect((await end(`/${body.sessions[0].id}`)).body.error).toBe('session_not_found');
    expect((await end('')).body).toEqual({ ok: true });
    expect((await hub.fetch('/v1/agents/me/sessions', { token })).body.sessions).toEqual([]);
    for (let i = 0; i < 3; i += 1) await linkFor(eve);
    const over = await hub.fetch('/v1/agents/me/sign-in-links', { method: 'POST', token });
    expect([over.status, over.body.error]).toEqual([429, 'too_many_sign_in_links']);
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(3_000);
  });
});
