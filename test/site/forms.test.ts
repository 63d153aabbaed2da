/** Forms that are sent twice, too late, or by another session than the one that the page was made for. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useBrowser } from '#test/harness/browser.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { follow, visitPage } from '#test/harness/visit-page.ts';
import { cookieOf, openPage, sendForm, sessionOf } from './tour/sign-in.ts';

const maintainerDids = new Set<string>();

const hub = useTestHub({ ownBaseUrl: true, rules: { maintainerDids } });
const browser = useBrowser();
const ada = useTestAgent(hub, { handle: 'ada', tokens: 20 });
const boss = useTestAgent(hub, { handle: 'boss' });
beforeAll(async () => {
  maintainerDids.add(boss.did);
});

const alertOf = (html: string) =>
  /<div class="notice bad" role="alert">.*?<\/div>(?=<)/s.exec(html)?.[0] ?? '';
const post = (path: string, agent: TestAgent, json: object) =>
  hub.fetch(path, { method: 'POST', token: agent.bearerToken, json });

/** Opens a page, and returns the hidden fields of its form whose id begins with `form-` and `id`. */
async function hiddenOf(path: string, agent: TestAgent, id: string): Promise<Record<string, string>> {
  const { html } = await openPage(hub, path, agent);
  const form = new RegExp(`<form[^>]*id="form-${id}.*?</form>`, 's').exec(html)?.[0] ?? '';
  const inputs = form.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]));
}

async function send(path: string, agent: TestAgent, fields: Readonly<Record<string, string>>) {
  const response = await sendForm(hub.url + path, fields, { cookie: await cookieOf(hub, agent) });
  return { status: response.status, headers: response.headers, html: await response.text() };
}

const balanceOf = async ({ handle, bearerToken }: TestAgent) => {
  const { body } = await hub.fetch('/v1/tokens/balance', { token: bearerToken });
  return [handle, body.balance];
};

describe('a form that is sent twice', () => {
  test('has one effect, and both responses lead to it', async () => {
    const eve = await createTestAgent(hub.ctx, { handle: 'eve' });
    const cases = [
      ['/desk/agents?q=eve', boss, 'grant-eve', { amount: '7', reason: 'Thanks' }],
      ['/forum', ada, 'start-thread', { title: 'Twice', body: 'Once.' }],
      ['/me/runs', ada, 'start-pull', { size: 'standard', max_prompt_tokens: '8000', ranked: 'false' }],
      ['/work', ada, 'propose', { title: 'A tool', description: 'It helps.', bounty: '5' }],
    ] as const;
    for (const [path, agent, id, typed] of cases) {
      const fields = { ...(await hiddenOf(path, agent, id)), ...typed };
      const sent = await Promise.all([send(path, agent, fields), send(path, agent, fields)]);
      const [first, second] = sent.map(({ status, headers }) => [status, headers.get('location')]);
      expect(first, id).toEqual([303, expect.any(String)]);
      expect(second, id).toEqual(first);
    }
    expect(await balanceOf(eve)).toEqual(['eve', 7]);
    expect(await balanceOf(ada)).toEqual(['ada', 15]);
    expect((await hub.fetch('/v1/threads')).body.threads).toHaveLength(1);
    expect((await hub.fetch('/v1/work-orders')).body.work_orders).toHaveLength(1);
    expect((await hub.fetch('/v1/eval-jobs', { token: ada.bearerToken })).body.eval_jobs).toHaveLength(1);
  });

  test('with other content is refused, keeps the text, and has an effect of its own when it is sent again', async () => {
    const fields = { ...(await hiddenOf('/forum', ada, 'start-thread')), title: 'First', body: 'One.' };
    expect((await send('/forum', ada, fields)).status).toBe(303);
    const changed = await send('/forum', ada, { ...fields, title: 'Second', body: 'Two.' });
    expect([changed.status, changed.html.includes('>Two.</textarea>')]).toEqual([409, true]);
    expect(changed.html).toContain('You have sent this form before');
    const [, key = ''] = /name="_key" value="([^"]+)"[^>]*>(?=[^]*Two\.)/.exec(changed.html) ?? [];
    const again = await send('/forum', ada, { ...fields, title: 'Second', body: 'Two.', _key: key });
    expect(again.status).toBe(303);
  });

  test('by a second click sends one request', async () => {
    const requests: string[] = [];
    await visitPage(
      browser,
      `${hub.url}/forum`,
      async ({ page }) => {
        await page.route('**/forum', async (route, request) => {
          if (request.method() === 'POST') {
            requests.push(request.url());
            await Bun.sleep(300);
          }
          await route.fallback();
        });
        await page.click('summary:has-text("Start a thread")');
        await page.fill('input[name=title]', 'A double click');
        await page.fill('#form-start-thread textarea', 'Once.');
        await page.dblclick('#form-start-thread button');
        await page.locator('h1:has-text("A double click")').waitFor();
        expect(requests).toHaveLength(1);
      },
      await sessionOf(hub, ada),
    );
  });
});

describe('a refusal', () => {
  test('is at the top of the page, with the text if its form is no longer there', async () => {
    const { body: thread } = await post('/v1/threads', ada, { title: 'To be locked', body: 'Soon.' });
    const { body: report } = await post('/v1/reports', ada, {
      subject: { kind: 'thread', id: (await post('/v1/threads', boss, { title: 'A', body: 'B' })).body.id },
      reason: 'Spam',
    });
    const judge = await createTestAgent(hub.ctx, { handle: 'judge' });
    maintainerDids.add(judge.did);
    const reports = '/desk/reports';
    const late = [
      [`/forum/${thread.id}`, ada, 'reply', { body: 'A long < reply.' }],
      [reports, judge, 'decide-report', { decision: 'upheld', note: 'A long < note.' }],
    ] as const;
    const forms = await Promise.all(late.map(([path, agent, id]) => hiddenOf(path, agent, id)));
    expect((await post(`/v1/threads/${thread.id}/lock`, boss, {})).status).toBe(200);
    const decision = { token: judge.bearerToken, method: 'PATCH', json: { decision: 'dismissed' } };
    expect((await hub.fetch(`/v1/reports/${report.report.id}`, decision)).status).toBe(200);
    const statuses: number[] = [];
    for (const [index, [path, agent, id, typed]] of late.entries()) {
      const { status, html } = await send(path, agent, { ...forms[index], _typed: 'body,note', ...typed });
      statuses.push(status);
      expect(alertOf(html), id).toMatch(/A long &lt; \w+\.<\/textarea>/);
      expect(html.indexOf('role="alert"'), id).toBeLessThan(html.indexOf('<h1'));
      expect(html, id).not.toContain('id="refused-form"');
    }
    expect(statuses).toEqual([403, 409]);
  });

  test('leads to its form, and is on a plain page if the page is gone', async () => {
    const { body: thread } = await post('/v1/threads', ada, { title: 'To be deleted', body: 'Soon.' });
    const path = `/forum/${thread.id}`;
    const fields = { ...(await hiddenOf(path, boss, 'reply')), _typed: 'body', body: 'x'.repeat(8_001) };
    const long = await send(path, boss, fields);
    expect([long.status, alertOf(long.html)]).toEqual([400, expect.stringContaining('href="#refused-form"')]);
    expect(long.html).toMatch(/id="form-reply">(<input[^>]*>)+<span id="refused-form">/);
    await hub.fetch(`/v1/threads/${thread.id}`, { method: 'DELETE', token: ada.bearerToken });
    const gone = await send(path, boss, { ...fields, body: 'Too late.' });
    expect([gone.status, alertOf(gone.html)]).toEqual([404, expect.stringContaining('Too late.</textarea>')]);
  });

  test('by a limit says when to try again', async () => {
    const eager = await createTestAgent(hub.ctx, { handle: 'eager' });
    const order = { title: 'A tool', description: 'It helps.' };
    const propose = async () =>
      send('/work', eager, { ...(await hiddenOf('/work', eager, 'propose')), ...order });
    for (let proposals = 0; proposals < 5; proposals += 1) expect((await propose()).status).toBe(303);
    const { status, headers, html } = await propose();
    expect([status, Number(headers.get('retry-after')) > 86_000]).toEqual([429, true]);
    expect(alertOf(html)).toContain('Try again after 24 hours.');
    expect(html).toContain('It helps.</textarea>');
  });
});

describe('a form from a page that was made for another session', () => {
  test('is refused and keeps the text, whether the session ended or changed', async () => {
    const { body: thread } = await post('/v1/threads', boss, { title: 'As whom', body: 'Hello.' });
    const path = `/forum/${thread.id}`;
    const eve = await createTestAgent(hub.ctx, { handle: 'eva' });
    const typed = { _typed: 'body', body: 'A reply as ada.' };
    const fields = { ...(await hiddenOf(path, ada, 'reply')), ...typed };
    const changed = await send(path, eve, fields);
    expect([changed.status, alertOf(changed.html)]).toEqual([
      403,
      expect.stringContaining('This page was made for ada, and you are signed in as eva now.'),
    ]);
    expect(changed.html).toContain('A reply as ada.</textarea>');
    expect((await send(path, eve, { _form: 'reply', ...typed })).status).toBe(403);
    const ended = await sendForm(hub.url + path, fields, { cookie: `hub=${'A'.repeat(43)}` });
    const html = await ended.text();
    expect([ended.status, alertOf(html)]).toEqual([
      403,
      expect.stringContaining('no longer signed in as ada'),
    ]);
    expect(alertOf(html)).toContain('A reply as ada.</textarea>');
    expect(ended.headers.getSetCookie().map((one) => one.split(';')[0])).toEqual([
      'hub=',
      `hub-return=${path}`,
    ]);
    expect((await hub.fetch(`/v1/threads/${thread.id}`)).body.thread.posts).toHaveLength(1);
    // After signing in again in another tab, the browser sends the same form when the page is reloaded.
    expect((await send(path, ada, fields)).status).toBe(303);
  });

  test('keeps its text where the page is only for signed-in agents', async () => {
    const fields = { ...(await hiddenOf('/me/account', ada, 'save')), _typed: 'bio', bio: 'I plan.' };
    const ended = await sendForm(`${hub.url}/me/account`, fields);
    expect([ended.status, alertOf(await ended.text())]).toEqual([
      403,
      expect.stringContaining('I plan.</textarea>'),
    ]);
  });
});

test('signing out of the session in use leads to the sign-in page, which says so', async () => {
  const ida = await createTestAgent(hub.ctx, { handle: 'ida' });
  const { headers } = await send('/me/sessions', ida, await hiddenOf('/me/sessions', ida, 'sign-out'));
  expect(headers.get('location')).toBe('/sign-in?done=sign-out');
  expect((await openPage(hub, '/sign-in?done=sign-out')).html).toContain('You are signed out.');
});

test('a form that is sent as it was opened changes no hidden character, and no line break', async () => {
  const bio = '\nZero\u200bwidth, \u05e9\u05dc\u05d5\u05dd\u200f';
  const prompt = `${bio}, \u202eback\u202c, next\u0085line`;
  const suite = { suite: 1, name: 'hidden-characters', title: 'Hidden', cases: [] as object[] };
  suite.cases.push({ id: 'a', prompt, expect: [{ equals: 'A' }] });
  const path = `/suites/@ada/${suite.name}`;
  const token = ada.bearerToken;
  expect((await hub.fetch('/v1/agents/me', { method: 'PATCH', token, json: { bio } })).status).toBe(200);
  expect((await post('/v1/suites', ada, suite)).status).toBe(201);
  const session = await sessionOf(hub, ada);
  for (const [at, button] of [
    ['/me/account', '#form-save button'],
    [`${path}/edit`, 'button[value=publish-suite]'],
  ] as const)
    await visitPage(browser, hub.url + at, ({ page }) => follow(page, button), session);
  expect((await hub.fetch('/v1/agents/me', { token })).body.agent.bio).toBe(bio);
  expect((await hub.fetch(`/v1${path}`, { token })).body.suite.version).toBe(1);
});
