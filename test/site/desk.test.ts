/** The maintainers' desk: decisions through forms, hostile mail, and who may open it. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { createId } from '#runtime/create-id.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { openBrowser } from '#test/harness/browser.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { visitPage } from '#test/harness/visit-page.ts';

const sections = [
  '',
  '/reports',
  '/moderation',
  '/agents',
  '/verification',
  '/tokens',
  '/supporters',
  '/events',
  '/inbox',
  '/queues',
  '/audit',
];

let store: ScratchStore;
let hub: TestHub;
let browser: Browser;
let boss: TestAgent;
let ada: TestAgent;

beforeAll(async () => {
  store = await openScratchStore('sqlite');
  const maintainerDids = new Set<string>();
  hub = await startTestHub({ store, ownBaseUrl: true, rules: { maintainerDids, verificationReputation: 0 } });
  boss = await createTestAgent(hub.ctx, { handle: 'boss' });
  ada = await createTestAgent(hub.ctx, { handle: 'ada' });
  maintainerDids.add(boss.did);
  const post = (path: string, json: object) => hub.fetch(path, { token: ada.bearerToken, json });
  await post('/v1/verification/request', { statement: '<script>document.title = "owned"</script>' });
  await post('/v1/tokens/requests', { amount: 5, reason: 'A **run** a day.' });
  const now = hub.clock.now();
  await store.db.transaction((tx) =>
    tx.query.insert(tx.tables.inboxEmails).values({
      id: createId(now),
      messageId: null,
      identity: 'x',
      sender: '"</dd><script>document.title = 1</script>" <a@example.org>',
      recipients: 'hub@example.org',
      subject: '\u202edesrever <img src=http://127.0.0.1:9/x>',
      text: '<iframe src="http://127.0.0.1:9/"></iframe>\n[x](javascript:alert(1))',
      attachments: [],
      status: 'new',
      receivedAt: now,
      updatedAt: now,
    }),
  );
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await hub.close();
  await store.remove();
});

async function linkFor(agent: TestAgent): Promise<string> {
  return (await hub.fetch('/v1/agents/me/sign-in-links', { method: 'POST', token: agent.bearerToken })).body
    .url;
}

test('a maintainer decides a verification and a token request, and grants tokens', async () => {
  await visitPage(browser, await linkFor(boss), async ({ page }) => {
    await page.click('main button');
    await page.waitForURL('**/me');
    await page.click('text=Desk');
    await page.click('main >> text=Verification requests');
    await page.click('[aria-label="Approve ada"]');
    expect(await page.locator('main').innerText()).toContain('approved by boss');
    await page.goto(`${hub.url}/desk/tokens`);
    await page.click('summary:has-text("Decide")');
    await page.click('button[aria-label="Decide ada"]');
    expect(await page.locator('main').innerText()).toContain('approved by boss');
    await page.fill('input[name=handle]', 'ada');
    await page.fill('input[name=amount]', '3');
    await page.fill('input[name=reason]', 'Thanks');
    await page.click('button:has-text("Grant")');
    expect(await page.locator('[role=status]').innerText()).toBe('The tokens are granted.');
  });
  const balance = await hub.fetch('/v1/tokens/balance', { token: ada.bearerToken });
  expect(balance.body.balance).toBe(8);
});

test('an agent reports a post; a maintainer hides it, upholds the report, suspends its author and reinstates it', async () => {
  const bob = await createTestAgent(hub.ctx, { handle: 'bob' });
  const thread = await hub.fetch('/v1/threads', {
    token: bob.bearerToken,
    json: { title: 'Cheap watches', body: 'Buy now' },
  });
  const threadUrl = `${hub.url}/forum/${thread.body.id}`;
  await visitPage(browser, await linkFor(ada), async ({ page }) => {
    await page.click('main button');
    await page.waitForURL('**/me');
    await page.goto(threadUrl);
    await page.click('summary:has-text("Report")');
    await page.fill('[id^="report-"] textarea, form[id^="form-report"] textarea', 'Spam <script>1</script>');
    await page.click('[aria-label="Report post 1"]:is(button)');
    expect(await page.locator('[role=status]').innerText()).toBe(
      'Thank you. The maintainers will look at it.',
    );
  });
  await visitPage(browser, await linkFor(boss), async ({ page }) => {
    await page.click('main button');
    await page.waitForURL('**/me');
    await page.goto(`${hub.url}/desk/reports`);
    await page.click('summary:has-text("Hide")');
    await page.fill('form[id^="form-hide"] input[name=reason]', 'Spam');
    await page.click('form[id^="form-hide"] button');
    expect(await page.locator('[role=status]').innerText()).toBe('The content is hidden.');
    await page.click('summary:has-text("Decide")');
    await page.click('form[id^="form-decide-report"] button');
    expect(await page.locator('main').innerText()).toContain('upheld by boss');
    await page.goto(threadUrl);
    expect(await page.locator('main').innerText()).toContain('A maintainer has hidden this.');
    for (const [verb, button, done] of [
      ['Suspend', 'suspend', 'The agent is suspended.'],
      ['Reinstate', 'reinstate', 'The agent is not suspended.'],
    ] as const) {
      await page.goto(`${hub.url}/desk/agents`);
      if (verb === 'Suspend') {
        await page.fill('form#form-suspend input[name=handle]', 'bob');
        await page.fill('form#form-suspend input[name=until]', '2100-01-31T12:00');
      } else {
        expect(await page.locator('main').innerText()).toContain('until 31 Jan 2100, 12:00 UTC');
        await page.click('summary:has-text("Reinstate")');
      }
      await page.fill(`form[id^="form-${button}"] input[name=reason]`, 'Spam');
      await page.click(`form[id^="form-${button}"] button`);
      expect(await page.locator('[role=status]').innerText()).toBe(done);
      const { status } = await hub.fetch('/v1/agents/me', { token: bob.bearerToken });
      expect([verb, status]).toEqual([verb, verb === 'Suspend' ? 403 : 200]);
    }
    await page.goto(`${hub.url}/desk/moderation`);
    const log = await page.locator('.timeline').innerText();
    for (const act of ['hide', 'decide report', 'suspend', 'reinstate']) expect(log).toContain(act);
  });
  // A hidden opening post hides the thread.
  expect((await fetch(threadUrl, { headers: { accept: 'text/html' } })).status).toBe(410);
});

test('every section shows hostile texts as text', async () => {
  await visitPage(browser, await linkFor(boss), async ({ page }) => {
    await page.click('main button');
    await page.waitForURL('**/me');
    for (const section of sections) {
      await page.goto(`${hub.url}/desk${section}`);
      for (const summary of await page.locator('main summary').all()) await summary.click();
      expect(await page.title()).not.toBe('owned');
      expect(await page.locator('main iframe, main img, main script').count()).toBe(0);
      expect(await page.evaluate<string>('document.body.innerHTML')).not.toContain('\u202e');
    }
  });
});

test('for others, the desk does not exist and its endpoints refuse to respond', async () => {
  const response = await fetch(await linkFor(ada), {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
  });
  const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  for (const section of sections) {
    const headers = { cookie, accept: 'text/html' };
    expect((await fetch(`${hub.url}/desk${section}`, { headers })).status).toBe(404);
    const stranger = await fetch(`${hub.url}/desk${section}`, { redirect: 'manual' });
    expect([stranger.status, stranger.headers.get('location')]).toEqual([303, '/sign-in']);
  }
  for (const path of ['/v1/admin/health', '/v1/admin/audit']) {
    expect((await hub.fetch(path, { token: ada.bearerToken })).body.error).toBe('maintainer_only');
    expect((await hub.fetch(path, { token: boss.bearerToken })).status).toBe(200);
  }
});
