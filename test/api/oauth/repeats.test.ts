/** The same code or refresh token a second time: within 30 seconds a lost response, later a theft. */
import { beforeAll, expect, test } from 'bun:test';
import { isNotNull } from 'drizzle-orm';
import { pruneOauth } from '#domain/oauth/prune-oauth.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { callMcp, postForm, TestHost } from './test-host.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

let host: TestHost;
const hub = useTestHub();
const agent = useTestAgent(hub);
beforeAll(async () => {
  host = await TestHost.register(hub);
});

const works = async (token: string) => (await callMcp(hub, '/mcp', token, 'get_me')).status === 200;
/** Each sends a secret of its own. */
const ways = [
  ['a code', async () => host.code(agent), (code: string) => host.exchange(code)],
  [
    'a refresh token',
    async () => (await host.connect(agent)).refresh,
    (token: string) => host.refresh(token),
  ],
] as const;

test.each(ways)('%s gives the same tokens for 30 seconds, and then revokes them', async (_, get, send) => {
  const secret = await get();
  const first = await send(secret);
  hub.clock.advance(30 * secondMs - 1);
  const again = await send(secret);
  expect([again.status, again.body]).toEqual([200, { ...first.body, expires_in: 3570 }]);
  expect(await works(first.body.access_token)).toBe(true);
  hub.clock.advance(1);
  expectError(await send(secret), 400, 'invalid_grant');
  expect(await works(first.body.access_token)).toBe(false);
  expectError(await host.refresh(first.body.refresh_token), 400, 'invalid_grant');
});

test.each(ways)('%s revokes the grant at once if its successor was used', async (_, get, send) => {
  const secret = await get();
  const { body } = await send(secret);
  const next = await host.refresh(body.refresh_token);
  expectError(await send(secret), 400, 'invalid_grant');
  for (const token of [body.access_token, next.body.access_token]) expect(await works(token)).toBe(false);
});

test.each(ways)('a clock that was set back does not lengthen the 30 seconds of %s', async (_, get, send) => {
  hub.clock.advance(60 * minuteMs);
  const secret = await get();
  expect((await send(secret)).status).toBe(200);
  hub.clock.advance(-60 * minuteMs);
  expectError(await send(secret), 400, 'invalid_grant');
});

test('a used code with another verifier or client revokes what it gave, even within 30 seconds', async () => {
  const stranger = await TestHost.register(hub);
  for (const changes of [
    { code_verifier: 'x'.repeat(43) },
    { client_id: stranger.clientId },
    { redirect_uri: 'https://host.example/other' },
  ]) {
    const code = await host.code(agent);
    const { body } = await host.exchange(code);
    expectError(await host.exchange(code, changes), 400, 'invalid_grant');
    expect([changes, await works(body.access_token)]).toEqual([changes, false]);
  }
});

test('a thief with the refresh token just replaced is found out when both have used its successor', async () => {
  const { refresh } = await host.connect(agent);
  const owner = await host.refresh(refresh);
  const thief = await host.refresh(refresh);
  expect(thief.body.refresh_token).toBe(owner.body.refresh_token);
  const stolen = await host.refresh(thief.body.refresh_token);
  hub.clock.advance(60 * minuteMs);
  expectError(await host.refresh(owner.body.refresh_token), 400, 'invalid_grant');
  expectError(await host.refresh(stolen.body.refresh_token), 400, 'invalid_grant');
  expect(await works(stolen.body.access_token)).toBe(false);
});

test('a repeated refresh token gives no tokens to another client, or once the grant is revoked', async () => {
  const stranger = await TestHost.register(hub);
  const { refresh } = await host.connect(agent);
  const { body } = await host.refresh(refresh);
  expectError(await stranger.refresh(refresh), 400, 'invalid_grant');
  expect(await works(body.access_token)).toBe(true);
  await postForm(hub, '/oauth/revoke', { token: body.access_token, client_id: host.clientId });
  expectError(await host.refresh(refresh), 400, 'invalid_grant');
});

test('a refresh leaves each access token its hour, and revoking one of them ends all', async () => {
  const { access, refresh } = await host.connect(agent);
  hub.clock.advance(20 * minuteMs);
  const second = await host.refresh(refresh);
  hub.clock.advance(20 * minuteMs);
  const third = await host.refresh(second.body.refresh_token);
  const tokens = [access, second.body.access_token, third.body.access_token];
  const state = () => Promise.all(tokens.map(works));
  expect(await state()).toEqual([true, true, true]);
  hub.clock.advance(20 * minuteMs);
  expect(await state()).toEqual([false, true, true]);
  await postForm(hub, '/oauth/revoke', { token: second.body.access_token, client_id: host.clientId });
  expect(await state()).toEqual([false, false, false]);
});

test('a grant keeps at most 20 replaced access tokens, and the sweeper deletes expired ones', async () => {
  const { bearerTokens } = hub.db.tables;
  const replaced = () => hub.db.query.$count(bearerTokens, isNotNull(bearerTokens.grantId));
  const { access, refresh } = await host.connect(agent);
  let last = refresh;
  const given: string[] = [access];
  for (let n = 0; n < 21; n += 1) {
    hub.clock.advance(secondMs);
    const { body } = await host.refresh(last);
    last = body.refresh_token;
    given.push(body.access_token);
  }
  const state = await Promise.all(given.map(works));
  expect(state).toEqual([false, ...Array.from({ length: 21 }, () => true)]);
  expect(await replaced()).toBeGreaterThan(0);
  hub.clock.advance(61 * minuteMs);
  while ((await pruneOauth(hub.ctx)) > 0);
  expect(await replaced()).toBe(0);
});
