/** Forms that are sent twice, too late, or by another session than the one that the page was made for. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useBrowser } from '#test/harness/browser.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { visitPage } from '#test/harness/visit-page.ts';
import { cookieOf, sendForm, sessionOf } from './tour/sign-in.ts';

const maintainerDids = new Set<string>();

const hub = useTestHub({ ownBaseUrl: true, rules: { maintainerDids } });
const browser = useBrowser();
const ada = useTestAgent(hub, { handle: 'ada', tokens: 20 });
const boss = useTestAgent(hub, { handle: 'boss' });
beforeAll(async () => {
  maintainerDids.add(boss.did);
});

/** Opens a page, and returns the hidden fields of its form whose id begins with `form-` and `id`. */
async function hiddenOf(path: string, agent: TestAgent, id: string): Promise<Record<string, string>> {
  const headers = { accept: 'text/html', cookie: await cookieOf(hub, agent) };
  const html = await (await fetch(hub.url + path, { headers })).text();
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
    expect((await hub.fetch('/v1/redemptions', { token: ada.bearerToken })).body).toMatchObject({});
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
