/** Attacks on the site from other pages in the victim's browser, through caches, and with sessions that have ended. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useBrowser } from '#test/harness/browser.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { declaredPages } from './tour/find-stops.ts';
import { cookieOf, sendForm, sessionOf, signInByForm } from './tour/sign-in.ts';

const maintainerDids = new Set<string>();

const hub = useTestHub({ ownBaseUrl: true, rules: { maintainerDids } });
const browser = useBrowser();
const ada = useTestAgent(hub, { handle: 'ada' });
const boss = useTestAgent(hub, { handle: 'boss' });
beforeAll(async () => {
  maintainerDids.add(boss.did);
});

const openAs = (path: string, cookie: string) =>
  fetch(hub.url + path, { redirect: 'manual', headers: { cookie, accept: 'text/html' } });

/** Serves a page of the attacker on another port, and opens it in the browser of a victim. */
async function visitAttacker<Result>(
  agent: TestAgent,
  html: string,
  look: (page: Awaited<ReturnType<Browser['newPage']>>) => Promise<Result>,
): Promise<Result> {
  const attacker = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response(html, { headers: { 'content-type': 'text/html' } }),
  });
  const page = await browser.newPage(await sessionOf(hub, agent));
  try {
    await page.goto(attacker.url.href);
    return await look(page);
  } finally {
    await page.close();
    await attacker.stop(true);
  }
}

describe('a page on another port, to which the browser sends the cookie,', () => {
  test('cannot send a form', async () => {
    const html = `<form method="post" action="${hub.url}/forum"><input name="_form" value="start"><input name="title" value="Owned"><input name="body" value="Owned"><button>x</button></form>`;
    const status = await visitAttacker(ada, html, async (page) => {
      const [response] = await Promise.all([page.waitForEvent('response'), page.click('button')]);
      expect((await response.request().allHeaders())['cookie']).toBe(await cookieOf(hub, ada));
      return response.status();
    });
    expect(status).toBe(403);
    expect((await hub.fetch('/v1/threads')).body.threads).toEqual([]);
  });

  test('cannot show a page in a frame, or read it', async () => {
    const html = `<iframe src="${hub.url}/me/account"></iframe>`;
    await visitAttacker(ada, html, async (page) => {
      await page.waitForLoadState('load');
      expect(page.frames()).toHaveLength(2);
      for (const frame of page.frames().slice(1)) expect(await frame.content()).not.toContain('Account');
      const read = `fetch(${JSON.stringify(`${hub.url}/me`)}, { credentials: 'include' }).then(() => 'read', () => 'refused')`;
      expect(await page.evaluate<string>(read)).toBe('refused');
    });
  });
});

describe('a session', () => {
  test('that an attacker has planted is replaced when the victim signs in', async () => {
    const fixed = await signInByForm(hub, boss);
    const link = await hub.fetch('/v1/agents/me/sign-in-links', { method: 'POST', token: ada.bearerToken });
    const response = await sendForm(link.body.url, {}, { cookie: fixed });
    const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    expect(cookie).not.toBe(fixed);
    expect(await (await openAs('/me', cookie)).text()).toContain('>ada<');
  });

  test('of a suspended agent opens and changes nothing', async () => {
    const eve = await createTestAgent(hub.ctx, { handle: 'eve' });
    const cookie = await signInByForm(hub, eve);
    const moderate = (act: string) =>
      hub.fetch(`/v1/agents/eve/${act}`, { token: boss.bearerToken, json: { reason: 'Spam' } });
    expect((await moderate('suspend')).status).toBe(200);
    const mine = await openAs('/me', cookie);
    expect([mine.status, mine.headers.get('set-cookie')?.startsWith('hub=;')]).toEqual([403, true]);
    const form = { _form: 'start', _agent: 'eve', title: 'A title', body: 'A body' };
    expect((await sendForm(`${hub.url}/forum`, form, { cookie })).status).toBe(403);
    // Public pages look to her as they do to a stranger.
    const forum = await openAs('/forum', cookie);
    expect([forum.status, (await forum.text()).includes('>eve<')]).toEqual([200, false]);
    expect((await hub.fetch('/v1/threads')).body.threads).toEqual([]);
    expect((await moderate('reinstate')).status).toBe(200);
  });
});

describe('a cache', () => {
  const forged = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'ftp',
    'x-forwarded-prefix': '/evil',
    'x-original-url': '/me',
    'x-rewrite-url': '/me',
    'x-http-method-override': 'POST',
    forwarded: 'host=evil.example',
    host: 'evil.example',
  };
  const publicPaths = declaredPages
    .filter(({ access, path }) => access === 'public' && !path.includes(':'))
    .map(({ path }) => path);

  test('gets the same page whatever the client forges', async () => {
    expect(publicPaths.length).toBeGreaterThan(8);
    for (const path of publicPaths) {
      const plain = await fetch(hub.url + path);
      const poisoned = await fetch(`${hub.url + path}?utm_source=evil.example`, { headers: forged });
      expect([path, poisoned.status, await poisoned.text()]).toEqual([path, 200, await plain.text()]);
      expect(poisoned.headers.get('etag')).toBe(plain.headers.get('etag'));
    }
  });

  test('never keeps a page with a session, a cookie, an error or a secret', async () => {
    const ida = await createTestAgent(hub.ctx, { handle: 'ida' });
    const cookie = await signInByForm(hub, ida);
    const link = await hub.fetch('/v1/agents/me/sign-in-links', { method: 'POST', token: ida.bearerToken });
    const kept = async (path: string, headers: Record<string, string> = {}) =>
      (await fetch(hub.url + path, { redirect: 'manual', headers: { accept: 'text/html', ...headers } }))
        .headers;
    for (const path of [...publicPaths, '/me', '/me/tokens']) {
      const headers = await kept(path, { cookie });
      expect([headers.get('cache-control'), headers.get('etag')], path).toEqual(['private, no-store', null]);
    }
    for (const path of ['/nothing', '/work?status=x', new URL(link.body.url).pathname, '/me']) {
      const headers = await kept(path);
      expect([path, headers.get('cache-control')?.includes('no-store')]).toEqual([path, true]);
    }
    for (const path of publicPaths) expect((await kept(path)).get('set-cookie')).toBeNull();
  });
});
