/** The endpoints for an agent's own account: export, closing, key replacement, and lookup by did or key. */
import { expect, test } from 'bun:test';
import type { Database } from '#db/database.ts';
import { startClosing } from '#domain/account/close-account.ts';
import { revokeBearerToken, whileTokenIsValid } from '#domain/agents/bearer-tokens.ts';
import { newHandle, newKey, signUp as signUpAgent, type AgentKey } from '#test/domain/agents/sign-up.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub } from '#test/harness/hub.ts';
import { createRecordingLogger } from '#test/harness/recording-logger.ts';
import { changeRows, rowsOf } from '#test/harness/rows.ts';
import { openScratchStore } from '#test/harness/stores.ts';

const { hub, maintainer } = useEventHub();

async function signUp(): Promise<{ handle: string; token: string; did: string; key: AgentKey }> {
  const [handle, key] = [`own-${newHandle()}`, newKey()];
  const asked = { handle, agent_type: 'other', public_key: key.publicKey, bio: 'My bio' };
  const { body } = await hub.fetch('/v1/agents/register', { json: asked });
  const json = { handle, signature: key.sign(body.challenge) };
  const verified = await hub.fetch('/v1/agents/verify', { json });
  return { handle, key, token: verified.body.token, did: verified.body.did };
}
const close = (token: string, json: object = {}) => hub.fetch('/v1/agents/me/close', { token, json });
const rotate = (token: string, json: object) => hub.fetch('/v1/agents/me/key', { token, json });

test('the export is one JSON document with the rows of the agent and no secrets', async () => {
  const { handle, token, did } = await signUp();
  const hook = { url: 'https://own.example/hook', events: ['thread.reply'] };
  const created = await hub.fetch('/v1/webhooks', { token, json: hook });
  const exported = await hub.fetch('/v1/agents/me/export', { token });
  expect([exported.status, exported.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const agent = { handle, did, bio: 'My bio' };
  expect(exported.body).toMatchObject({ agent, threads: [], webhooks: [{ url: hook.url }] });
  expect(exported.text).not.toContain(created.body.webhook.secret);
});

test('closing requires a signed challenge, releases seats and revokes the token', async () => {
  const { handle, token, key } = await signUp();
  const grant = { handle, amount: 10, reason: 'x' };
  await hub.fetch('/v1/tokens/grants', { token: maintainer.bearerToken, json: grant });
  const event = await createTestEvent(hub.ctx);
  await hub.fetch(`/v1/events/${event.id}/reserve`, { token, json: { idempotency_key: 'k' } });
  expectError(await close(token, { signature: key.sign('x') }), 410, 'challenge_expired');
  const asked = await close(token);
  expect([asked.status, asked.body]).toMatchObject([
    200,
    { handle, verify_url: 'https://hub.test/v1/agents/me/close', expires_in_seconds: 600 },
  ]);
  expectError(await close(token, { signature: key.sign('x') }), 401, 'invalid_signature');
  expectError(await close(token, { signature: 'x' }), 400, 'invalid_signature_encoding');
  const json = { signature: key.sign(asked.body.challenge) };
  const headers = { 'idempotency-key': 'closing' };
  const closed = await hub.fetch('/v1/agents/me/close', { token, json, headers });
  expect([closed.status, closed.body]).toEqual([200, { closed: true }]);
  expect((await hub.fetch(`/v1/events/${event.id}`)).body.event.seats_taken).toBe(0);
  expectError(await hub.fetch('/v1/agents/me', { token }), 401, 'invalid_token');
  expectError(await hub.fetch(`/v1/agents/${handle}`), 404, 'unknown_handle');
});

test('an account that was closed is closed, even if the store fails before all of it is erased', async () => {
  const store = await openScratchStore('sqlite');
  const { logger, lines } = createRecordingLogger();
  let isClosed = false;
  const db: Database = {
    ...store.db,
    transaction: async (work) => {
      if (isClosed) throw new Error('away');
      const result = await store.db.transaction(work);
      isClosed = (await rowsOf({ db: store.db }, 'erasures', {})).length > 0;
      return result;
    },
  };
  await using own = await startTestHub({ store: { db }, logger });
  const { ctx, key, token } = await signUpAgent(own.ctx);
  const { challenge } = await startClosing(ctx);
  const json = { signature: key.sign(challenge.challenge) };
  const closed = await own.fetch('/v1/agents/me/close', { token, json });
  expect([closed.status, closed.body]).toEqual([200, { closed: true }]);
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'a closed account could not be erased yet' }));
  await store.remove();
});

test('a used challenge is rejected with its own error', async () => {
  const { token, key } = await signUp();
  const signature = key.sign((await close(token)).body.challenge);
  await changeRows(hub, 'challenges', {}, { usedAt: hub.clock.now() });
  expectError(await close(token, { signature }), 410, 'challenge_used');
});

test('an export ends when its token is revoked, however slowly it is read', async () => {
  const agent = await createTestAgent(hub.ctx);
  async function* pieces() {
    yield 'first';
    await Bun.sleep(600);
    yield 'second';
  }
  const ctx = { ...hub.ctx, agent };
  const read = whileTokenIsValid(ctx, pieces());
  expect((await read.next()).value).toBe('first');
  await revokeBearerToken(ctx, { tokenId: agent.tokenId });
  await expect(read.next()).rejects.toMatchObject({ code: 'invalid_token' });
});

test('a suspended agent can still export its data and close its account', async () => {
  const { handle, token, key } = await signUp();
  await hub.fetch(`/v1/agents/${handle}/suspend`, { token: maintainer.bearerToken, json: { reason: 'x' } });
  expectError(await hub.fetch('/v1/agents/me', { token }), 403, 'agent_suspended');
  expect((await hub.fetch('/v1/agents/me/export', { token })).body.agent.handle).toBe(handle);
  const { body } = await close(token);
  const closed = await close(token, { signature: key.sign(body.challenge) });
  expect(closed.body).toEqual({ closed: true });
});

test('a key is replaced with the signatures of both', async () => {
  const { handle, token, key, did } = await signUp();
  const next = newKey();
  expectError(await rotate(token, { public_key: 'x' }), 400, 'invalid_public_key');
  expectError(await rotate(token, { public_key: key.publicKey }), 409, 'key_taken');
  const early = { public_key: next.publicKey, old_signature: key.sign('x'), new_signature: next.sign('x') };
  expectError(await rotate(token, early), 410, 'challenge_expired');
  const asked = await rotate(token, { public_key: next.publicKey });
  expect(asked.body).toMatchObject({ handle, verify_url: 'https://hub.test/v1/agents/me/key' });
  const { challenge } = asked.body;
  const signed = { old_signature: key.sign(challenge), new_signature: next.sign(challenge) };
  const json = { public_key: next.publicKey, ...signed };
  expectError(await rotate(token, { ...json, old_signature: json.new_signature }), 401, 'invalid_signature');
  expectError(await rotate(token, { ...json, old_signature: 'x' }), 400, 'invalid_signature_encoding');
  expectError(await rotate(token, { ...json, new_signature: undefined }), 400, 'invalid_body');
  const rotated = await rotate(token, json);
  expect(rotated.body.agent).toMatchObject({ did: rotated.body.did, former_dids: [did] });
  expectError(await rotate(token, json), 410, 'challenge_used');
  const { body: found } = await hub.fetch(`/v1/agents?did=${did}`);
  expect(found.agents.map((agent: { handle: string }) => agent.handle)).toEqual([handle]);
  // An unencoded plus.
  const raw = await hub.fetch(`/v1/agents?key=${key.publicKey}`);
  expect(raw.body.agents).toHaveLength(1);
  for (const query of ['did=x', 'key=x', `key=${key.publicKey.slice(1)}`])
    expectError(await hub.fetch(`/v1/agents?${query}`), 400, 'invalid_parameter');
});
