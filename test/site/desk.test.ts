/** The maintainers' desk: decisions through forms, hostile mail, and who may open it. */
import { beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { changeMaintainer, changeSetting } from '#domain/settings/change-setting.ts';
import { createId } from '#runtime/create-id.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useBrowser } from '#test/harness/browser.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { follow, visitPage } from '#test/harness/visit-page.ts';
import { widths } from './tour/check-page.ts';
import { openPage, sendAs, sessionOf } from './tour/sign-in.ts';

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
  '/audit?run=now',
];

const maintainerDids = new Set<string>();
const hub = useTestHub({ ownBaseUrl: true, rules: { maintainerDids, verificationReputation: 0 } });
const browser = useBrowser();
const boss = useTestAgent(hub, { handle: 'boss' });
const ada = useTestAgent(hub, { handle: 'ada' });
beforeAll(async () => {
  maintainerDids.add(boss.did);
  const post = (path: string, json: object) => hub.fetch(path, { token: ada.bearerToken, json });
  await post('/v1/verification/request', { statement: '<script>document.title = "owned"</script>' });
  await receiveMail({
    sender: '"</dd><script>document.title = 1</script>" <a@example.org>',
    subject: '\u202edesrever <img src=http://127.0.0.1:9/x>',
    text: '<iframe src="http://127.0.0.1:9/"></iframe>\n[x](javascript:alert(1))',
    status: 'new',
  });
});

/** Stores a mail as the mail server leaves it. */
async function receiveMail(mail: {
  readonly sender: string;
  readonly subject: string;
  readonly text: string;
  readonly status: 'new' | 'archived';
}): Promise<void> {
  const now = hub.clock.now();
  const received = { recipients: 'hub@example.org', attachments: [], receivedAt: now, updatedAt: now };
  const row = { ...mail, ...received, id: createId(now), identity: crypto.randomUUID(), messageId: null };
  await hub.db.transaction((tx) => tx.query.insert(tx.tables.inboxEmails).values(row));
}

/** Opens a page as this agent. */
async function visitAs(
  agent: TestAgent,
  path: string,
  look: (page: Page) => Promise<void>,
  javaScriptEnabled = true,
): Promise<void> {
  const options = { javaScriptEnabled, ...(await sessionOf(hub, agent)) };
  await visitPage(browser, hub.url + path, ({ page }) => look(page), options);
}

const statusOf = (page: Page): Promise<string> => page.locator('[role=status]').innerText();

for (const [mode, suffix, javaScriptEnabled] of [
  ['with JavaScript', 'js', true],
  ['without JavaScript', 'plain', false],
] as const) {
  test(`a maintainer decides requests, grants tokens and reads hostile mail ${mode}`, async () => {
    const handle = `cy-${suffix}`;
    const agent = await createTestAgent(hub.ctx, { handle });
    const post = (path: string, json: object) => hub.fetch(path, { token: agent.bearerToken, json });
    await post('/v1/verification/request', { statement: 'I run the builds.' });
    await post('/v1/tokens/requests', { amount: 5, reason: 'A run a day.' });
    const look = async (page: Page): Promise<void> => {
      await follow(page, 'header >> text=Desk');
      await follow(page, 'main >> text=Verification requests');
      await follow(page, `[aria-label="Approve the request of ${handle}"]`);
      expect(await statusOf(page)).toBe('Your decision is recorded.');
      await page.fill('form#form-withdraw-badge input[name=handle]', handle);
      await page.fill('form#form-withdraw-badge input[name=reason]', 'It was another one');
      await follow(page, 'form#form-withdraw-badge button');
      expect(await statusOf(page)).toBe('The agent has no badge.');
      await page.goto(`${hub.url}/desk/moderation`);
      expect(await page.locator('main .rows').innerText()).toContain(`withdrew the badge of agent ${handle}`);
      await page.goto(`${hub.url}/desk/tokens`);
      await follow(page, `button[aria-label="Approve the request of ${handle}"]`);
      expect(await statusOf(page)).toBe('Your decision is recorded.');
      const row = await findAgent(page, handle);
      expect(await row.innerText()).toContain('5 tokens');
      await row.locator('summary:has-text("Grant tokens")').click();
      await page.fill(`form#form-grant-${handle} input[name=amount]`, '3');
      await page.fill(`form#form-grant-${handle} input[name=reason]`, 'Thanks');
      await follow(page, `form#form-grant-${handle} button`);
      expect(await statusOf(page)).toBe('The tokens are granted.');
      expect(await row.innerText()).toContain('8 tokens');
      await page.goto(`${hub.url}/desk/inbox`);
      await page.click('main summary:visible');
      const mail = await page.locator('main details:not(.menu)').innerText();
      for (const part of ['[U+202E]', '<iframe src=', 'javascript:alert(1)']) expect(mail).toContain(part);
      expect(await page.locator('main a[href*="javascript"], main iframe, main img').count()).toBe(0);
    };
    await visitAs(boss, '/me', look, javaScriptEnabled);
    const { body } = await hub.fetch('/v1/tokens/balance', { token: agent.bearerToken });
    expect(body.balance).toBe(8);
  });

  test(`a report leads to hidden content, a suspension and a reinstatement ${mode}`, async () => {
    const author = await createTestAgent(hub.ctx, { handle: `bob-${suffix}` });
    const json = { title: 'Cheap watches', body: 'Buy now' };
    const thread = await hub.fetch('/v1/threads', { token: author.bearerToken, json });
    const path = `/forum/${thread.body.id}`;
    const report = async (page: Page): Promise<void> => {
      await page.click('summary:has-text("Report")');
      await page.fill('form[id^="form-report"] textarea', 'Spam <script>1</script>');
      await follow(page, '[aria-label="Report post 1"]:is(button)');
      expect(await statusOf(page)).toBe('Thank you. The maintainers will look at it.');
    };
    await visitAs(ada, path, report, javaScriptEnabled);
    const look = (page: Page) => moderate(page, author, hub.url + path);
    await visitAs(boss, '/desk/reports', look, javaScriptEnabled);
    expect((await fetch(hub.url + path, { headers: { accept: 'text/html' } })).status).toBe(200);
  });
}

test('reports show what was reported, so that a maintainer can decide', async () => {
  const hostile = '<img src=http://127.0.0.1:9/x> \u202edesrever [x](javascript:alert(1)) ';
  const author = await createTestAgent(hub.ctx, { handle: 'mallory' });
  const send = (by: TestAgent, path: string, json: object) =>
    hub.fetch(path, { token: by.bearerToken, json });
  const { body: thread } = await send(ada, '/v1/threads', { title: hostile.trim(), body: 'Hello' });
  const { body: post } = await send(author, `/v1/threads/${thread.id}/posts`, { body: hostile.repeat(20) });
  for (const reporter of [ada, await createTestAgent(hub.ctx)]) {
    await send(reporter, '/v1/reports', { subject: { kind: 'post', id: post.id }, reason: hostile });
  }
  await visitAs(boss, '/desk/reports', async (page) => {
    const row = page.locator('main li', { hasText: 'reported by ada' }).first();
    const shown = await row.innerText();
    for (const part of ['post 2 by mallory', 'and by 1 other agent', '[U+202E]', 'javascript:alert(1)'])
      expect(shown).toContain(part);
    // Hiding stands with the content, and the decision with the report.
    expect(shown).toMatch(/Hide[^]*reported by ada[^]*Uphold/);
    expect((await row.locator('blockquote').innerText()).length).toBeLessThan(400);
    expect(await page.locator('main img, main a[href^="javascript"]').count()).toBe(0);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
    }
    await follow(page, 'main li:has-text("reported by ada") .title a');
    expect(page.url()).toBe(`${hub.url}/forum/${thread.id}#post-2`);
  });
});

/** Searches for the agent at the desk, and returns its row. */
async function findAgent(page: Page, handle: string) {
  await page.goto(`${hub.url}/desk/agents`);
  await page.fill('main input[type=search]', handle);
  await follow(page, 'main form[role=search] button');
  return page.locator('main .rows > li', { hasText: handle });
}

async function moderate(page: Page, author: TestAgent, threadUrl: string): Promise<void> {
  await page.click('summary:has-text("Hide")');
  await page.fill('form[id^="form-hide"] input[name=reason]', 'Spam');
  await follow(page, 'form[id^="form-hide"] button');
  expect(await statusOf(page)).toBe('The content is hidden.');
  await page.click('form[id^="form-decide-report"] summary');
  await page.fill('form[id^="form-decide-report"] textarea', 'It was spam.');
  await follow(page, 'button:has-text("Uphold")');
  // It is no longer open.
  await follow(page, '.tabs >> text=upheld');
  expect(await page.locator('main').innerText()).toContain('It was spam.');
  expect(await page.locator('main').innerText()).toContain('upheld by boss');
  await page.goto(threadUrl);
  expect(await page.locator('main').innerText()).toContain('A maintainer has hidden this.');
  // A hidden opening post hides the thread.
  const gone = await fetch(threadUrl, { headers: { accept: 'text/html' } });
  const shown = await gone.text();
  expect([gone.status, shown]).toEqual([
    410,
    expect.stringContaining('can still read it when they are signed in'),
  ]);
  expect(shown).not.toContain('/v1/');
  await page.click('.notice summary:has-text("Restore")');
  await page.fill('form[id^="form-restore"] input[name=reason]', 'It was no spam');
  await follow(page, 'form[id^="form-restore"] button');
  expect(await statusOf(page)).toBe('The content is visible again.');
  for (const [button, done, status] of [
    ['suspend', 'The agent is suspended.', 403],
    ['reinstate', 'The agent is not suspended.', 200],
  ] as const) {
    if (button === 'suspend') {
      const row = await findAgent(page, author.handle);
      await row.locator('summary:has-text("Suspend")').click();
      await row.locator('input[name=until]').fill('2100-01-31T12:00');
    } else {
      await page.goto(`${hub.url}/desk/agents`);
      expect(await page.locator('main').innerText()).toContain('until 31 Jan 2100, 12:00 UTC');
      await page.click('summary:has-text("Reinstate")');
    }
    await page.fill(`form[id^="form-${button}"] input[name=reason]`, 'Spam');
    await follow(page, `form[id^="form-${button}"] button`);
    expect(await statusOf(page)).toBe(done);
    const own = await hub.fetch('/v1/agents/me', { token: author.bearerToken });
    expect([button, own.status]).toEqual([button, status]);
  }
  await page.goto(`${hub.url}/desk/moderation`);
  const log = await page.locator('main .rows').innerText();
  for (const act of ['hid', 'decided on a report about', 'suspended', 'reinstated'])
    expect(log).toContain(act);
}

/** The buttons and fields in the decisions of the only item that mentions `text`. */
async function decisionsOn(page: Page, text: string) {
  const item = page.locator('main .rows > li', { hasText: text });
  const buttons = await item.locator('.decisions form:not([id^="form-hide"]) button').allInnerTexts();
  return { item, buttons, hasChoice: (await item.locator('select, [checked]').count()) > 0 };
}

test('what waits comes first with its number, and every decision is one button with its verb, none preset', async () => {
  const dora = await createTestAgent(hub.ctx, { handle: 'dora' });
  const post = (path: string, json: object) => hub.fetch(path, { token: dora.bearerToken, json });
  await post('/v1/tokens/requests', { amount: 2, reason: 'First' });
  await post('/v1/verification/request', { statement: 'I run the docs.' });
  const { body: thread } = await post('/v1/threads', { title: 'Buy a boat', body: 'Cheap' });
  const report = { subject: { kind: 'thread', id: thread.id }, reason: 'A boat' };
  await hub.fetch('/v1/reports', { token: ada.bearerToken, json: report });
  await visitAs(boss, '/desk', async (page) => {
    for (const [section, text, verbs, done] of [
      ['tokens', 'dora', ['Approve', 'Reject'], 'rejected'],
      ['verification', 'dora', ['Approve', 'Reject'], 'rejected'],
      ['reports', 'Buy a boat', ['Uphold', 'Dismiss'], 'dismissed'],
    ] as const) {
      await page.goto(`${hub.url}/desk`);
      const waiting = Number(await page.locator(`li:has(a[href="/desk/${section}"]) .num`).innerText());
      await page.goto(`${hub.url}/desk/${section}`);
      expect(Number(await page.locator('.tabs [aria-current] .count').innerText())).toBe(waiting);
      expect(await page.locator('main .rows > li:has(.decisions)').count()).toBe(waiting);
      const { item, buttons, hasChoice } = await decisionsOn(page, text);
      expect([section, buttons, hasChoice]).toEqual([section, [...verbs], false]);
      await Promise.all([page.waitForEvent('load'), item.getByRole('button', { name: verbs[1] }).click()]);
      expect(Number(await page.locator('.tabs .count').innerText())).toBe(waiting - 1);
      expect(await page.locator('main .rows > li', { hasText: text }).count()).toBe(0);
      await follow(page, `.tabs >> text=${done}`);
      expect(await page.locator('main .rows').innerText()).toContain(`${done} by boss`);
    }
  });
});

test('a maintainer is not offered decisions on its own requests, content and reports', async () => {
  const post = (path: string, json: object, by = boss) => hub.fetch(path, { token: by.bearerToken, json });
  await post('/v1/tokens/requests', { amount: 2, reason: 'For me' });
  await post('/v1/verification/request', { statement: 'It is me.' });
  const { body: thread } = await post('/v1/threads', { title: 'A thread of the boss', body: 'Hello' });
  await post('/v1/reports', { subject: { kind: 'thread', id: thread.id }, reason: 'Odd' }, ada);
  await visitAs(boss, '/desk', async (page) => {
    for (const [section, text] of [
      ['tokens', 'For me'],
      ['verification', 'It is me.'],
      ['reports', 'A thread of the boss'],
    ] as const) {
      await page.goto(`${hub.url}/desk/${section}`);
      const { item, buttons } = await decisionsOn(page, text);
      expect([section, buttons, await item.locator('summary').count()]).toEqual([section, [], 0]);
      expect(await item.innerText()).toContain('Another maintainer decides on it.');
    }
  });
});

test('settings name who became a maintainer, and are chosen by their exact names', async () => {
  const keeper = await createTestAgent(hub.ctx, { handle: 'keeper' });
  await changeMaintainer(hub.ctx, { did: keeper.did, isMaintainer: true });
  await changeMaintainer(hub.ctx, { did: keeper.did, isMaintainer: false });
  await changeSetting(hub.ctx, { name: 'EVAL_RUN_COST', value: '1' });
  await visitAs(boss, '/desk/settings', async (page) => {
    const body = await page.locator('main').innerText();
    expect(body).toMatch(
      /keeper is no longer a maintainer\s.*the operator\s+keeper became a maintainer\s.*the operator/,
    );
    expect(body).toMatch(/hub\.env → 1/);
    expect(body).not.toContain('did:key');
    expect(await page.locator('select[name=name] option').allInnerTexts()).toContain('Price of an eval run');
    const row = page.locator('.rows > li', { hasText: 'Price of an eval run' }).first();
    expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toBe(
      'Price of an eval run EVAL_RUN_COST · default: free · set here 1 token',
    );
  });
});

test('a rejected form is shown again on the search where it was', async () => {
  const fields = { _form: 'grant', handle: 'ada', amount: '0', reason: 'Thanks' };
  const { status, html } = await sendAs(hub, boss, '/desk/agents?q=ada', fields);
  expect([status, html.includes('id="grant-ada-amount-error"')]).toEqual([400, true]);
});

test('the inbox shows the beginning of a long mail', async () => {
  const text = `${'x'.repeat(19_999)}yz`;
  await receiveMail({ sender: 'a@example.org', subject: 'Long', text, status: 'archived' });
  const { html } = await openPage(hub, '/desk/inbox?status=archived', boss);
  expect([html.includes('xy'), html.includes('xyz'), html.includes('The API shows the rest.')]).toEqual([
    true,
    false,
    true,
  ]);
});

test('for others, the desk does not exist; a maintainer reads the audit over the API too', async () => {
  for (const section of sections) {
    const path = `/desk${section}`;
    expect([path, (await openPage(hub, path, ada)).status]).toEqual([path, 404]);
    expect(await openPage(hub, path)).toMatchObject({ status: 303, location: '/sign-in' });
  }
  expect((await hub.fetch('/v1/admin/audit', { token: boss.bearerToken })).status).toBe(200);
});

test('an agent whose suspension has ended can be suspended again', async () => {
  const { handle } = await createTestAgent(hub.ctx, { handle: 'lapsed' });
  const until = new Date(hub.clock.now().getTime() + 1_000).toISOString();
  await hub.fetch(`/v1/agents/${handle}/suspend`, { token: boss.bearerToken, json: { reason: 'x', until } });
  const shown = async () => {
    const { html } = await openPage(hub, `/desk/agents?q=${handle}`, boss);
    return [html.includes('>suspended<'), /name="_form" value="(suspend|reinstate)"/.exec(html)?.[1]];
  };
  expect(await shown()).toEqual([true, 'reinstate']);
  hub.clock.advance(2_000);
  expect(await shown()).toEqual([false, 'suspend']);
});
