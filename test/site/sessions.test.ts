/** Sign-in links and sessions: how they start and end, and attacks on them. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { createSignInLink } from '#domain/sessions/sign-in-link.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { completeRun, createTestRunner } from '#test/harness/eval-runs.ts';
import { startTestHub, useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { sendForm, signInByForm } from './tour/sign-in.ts';

let runId: string;

const hub = useTestHub({ ownBaseUrl: true });
const ada = useTestAgent(hub, { handle: 'ada', tokens: 9 });
beforeAll(async () => {
  using runner = createTestRunner(hub.ctx, hub.redisUrl);
  runId = await completeRun(runner, ada.id);
});

async function linkFor(agent: TestAgent): Promise<string> {
  const link = await hub.fetch('/v1/agents/me/sign-in-links', { method: 'POST', token: agent.bearerToken });
  expect(link.status).toBe(201);
  return link.body.url;
}

describe('a session', () => {
  test('does not start when the link is viewed, twice, or from another site', async () => {
    const link = await linkFor(ada);
    const seen = await fetch(link, { headers: { accept: 'text/html' } });
    expect([seen.status, seen.headers.get('set-cookie'), seen.headers.get('cache-control')]).toEqual([
      200,
      null,
      'private, no-store',
    ]);
    await fetch(link, { method: 'HEAD', headers: { 'sec-purpose': 'prefetch' } });
    const foreign = await sendForm(link, {}, { 'sec-fetch-site': 'same-site' });
    expect([foreign.status, foreign.headers.get('set-cookie')]).toEqual([403, null]);
    expect((await sendForm(link, {}, { origin: 'http://127.0.0.1:9' })).status).toBe(403);
    const started = await sendForm(link, {});
    expect(started.headers.get('set-cookie')).toMatch(
      /^hub=[\w-]{43}; Path=\/; Max-Age=1209600; HttpOnly; SameSite=Lax$/,
    );
    expect((await sendForm(link, {})).status).toBe(410);
    expect((await sendForm(`${hub.url}/sign-in/${'x'.repeat(43)}`, {})).status).toBe(404);
  });

  test('starts on a hub with plain http, of which browsers say only the origin', async () => {
    const statusAt = async (baseUrl: string, headers: Record<string, string>) => {
      await using other = await startTestHub({ store: hub, redisUrl: hub.redisUrl, rules: { baseUrl } });
      const agent = await createTestAgent(other.ctx);
      const { url } = await createSignInLink(actingAs(other.ctx, agent));
      const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
      const init = { method: 'POST', redirect: 'manual', headers: form } as const;
      return (await fetch(url.replace(baseUrl, other.url), init)).status;
    };
    const plain = 'http://192.0.2.2:8080';
    expect(await statusAt(plain, { origin: plain })).toBe(303);
    expect(await statusAt(plain, {})).toBe(403);
    expect(await statusAt(plain, { origin: 'http://192.0.2.2:8081' })).toBe(403);
    expect(await statusAt(plain, { origin: plain, 'sec-fetch-site': 'cross-site' })).toBe(403);
    for (const said of ['https://hub.example', 'http://127.0.0.1:8080'])
      expect(await statusAt(said, { origin: said })).toBe(403);
  });

  test('ends with its token, and a fixed or foreign cookie opens nothing', async () => {
    const bob = await createTestAgent(hub.ctx);
    const cookie = await signInByForm(hub, bob);
    const open = (value: string) =>
      fetch(`${hub.url}/me`, { redirect: 'manual', headers: { cookie: value, accept: 'text/html' } });
    const mine = await open(cookie);
    expect([mine.status, mine.headers.get('cache-control'), mine.headers.get('etag')]).toEqual([
      200,
      'private, no-store',
      null,
    ]);
    expect((await open(`hub=${'A'.repeat(43)}`)).headers.get('location')).toBe('/sign-in');
    // A neighbour on the same host has set it.
    expect((await open(`hub=neighbour; ${cookie}`)).status).toBe(200);
    for (const path of [`/me/runs/${runId}`, '/desk'])
      expect((await fetch(hub.url + path, { headers: { cookie, accept: 'text/html' } })).status).toBe(404);
    const api = await hub.fetch('/v1/agents/me', { headers: { cookie } });
    expect(api.status).toBe(401);
    await hub.fetch(`/v1/agents/me/tokens/${bob.tokenId}`, { method: 'DELETE', token: bob.bearerToken });
    const ended = await open(cookie);
    expect([ended.status, ended.headers.get('location')]).toEqual([303, '/sign-in']);
    expect(ended.headers.get('set-cookie')).toStartWith('hub=; Path=/; Max-Age=0; ');
    const form = await sendForm(`${hub.url}/me/runs`, { _form: 'start' });
    expect(form.headers.get('location')).toBe('/sign-in');
  });

  test('leads on to the page that was asked for, once, and to no other host', async () => {
    const bob = await createTestAgent(hub.ctx);
    const valueOf = (response: Response) =>
      response.headers
        .getSetCookie()
        .find((one) => one.startsWith('hub-return='))
        ?.split(';')[0];
    const ask = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${hub.url}${path}`, { redirect: 'manual', headers: { accept: 'text/html', ...headers } });
    const signIn = async (cookie: string) => {
      const response = await sendForm(await linkFor(bob), {}, { cookie });
      return [response.headers.get('location'), valueOf(response)];
    };
    const page = `/me/runs/${runId}?case=1&done=start`;
    const asked = valueOf(await ask(page));
    // Without what a form did before.
    const kept = `/me/runs/${runId}?case=1`;
    expect(asked).toBe(`hub-return=${kept}`);
    expect(await signIn(asked ?? '')).toEqual([kept, 'hub-return=']);
    for (const path of ['//a.example', '/\\a.example', 'https://a.example'])
      expect(await signIn(`hub-return=${path}`)).toEqual(['/me', undefined]);
    const waiting = `/authorize/${'A'.repeat(43)}`;
    expect(valueOf(await ask(page, { cookie: `hub-return=${waiting}` }))).toBeUndefined();
    expect(await signIn(`hub-return=${waiting}`)).toEqual([waiting, undefined]);
  });
});

describe('the API', () => {
  test('lists and ends sessions', async () => {
    const eve = await createTestAgent(hub.ctx);
    await signInByForm(hub, eve);
    const token = eve.bearerToken;
    const list = async () => (await hub.fetch('/v1/agents/me/sessions', { token })).body.sessions;
    const end = async (path: string) =>
      (await hub.fetch(`/v1/agents/me/sessions${path}`, { method: 'DELETE', token })).body;
    const [{ id }] = await list();
    expect(await end(`/${id}`)).toEqual({ ok: true });
    expect((await end(`/${id}`)).error).toBe('not_found');
    expect(await list()).toEqual([]);
    expect(await end('')).toEqual({ ok: true });
    for (let i = 0; i < 4; i += 1) await linkFor(eve);
    const over = await hub.fetch('/v1/agents/me/sign-in-links', { method: 'POST', token });
    expect([over.status, over.body.error]).toEqual([429, 'too_many_sign_in_links']);
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(3_000);
  });
});
