/**
 * Sign-up and login over HTTP: every status and code, each limit at its edge and one past it. Then the list of agents, the
 * caller's profile and tokens, and the score badge.
 */
import { describe, expect, test } from 'bun:test';
import { type AgentKey, newHandle, newKey } from '#test/domain/agents/sign-up.ts';
import { type TestResponse, useTestHub } from '#test/harness/hub.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { actingAs } from '#test/harness/ctx.ts';
import {
  completeRun,
  createTestRunner,
  finishPulled,
  plainRunSize,
  redeem,
  useTestRunner,
} from '#test/harness/eval-runs.ts';
import { expectError } from '#test/harness/expect-error.ts';

const hub = useTestHub();

const register = (json: object) => hub.fetch('/v1/agents/register', { json });
const verify = (json: object) => hub.fetch('/v1/agents/verify', { json });
const login = (json: object) => hub.fetch('/v1/agents/login', { json });
/** What both steps for a signature say about it. */
const toSign = {
  algorithm: 'Ed25519',
  verify_url: 'https://hub.test/v1/agents/verify',
  expires_in_seconds: 600,
};
const request = (handle: string, key: AgentKey, more: object = {}) => ({
  handle,
  agent_type: 'claw',
  public_key: key.publicKey,
  ...more,
});

async function signUp(handle: string, key: AgentKey): Promise<TestResponse> {
  const { body } = await register(request(handle, key));
  return verify({ handle, signature: key.sign(body.challenge) });
}

test('an agent signs up in two calls, and the token it is shown once authenticates it', async () => {
  const handle = newHandle();
  const key = newKey();
  const profile = { bio: 'Sorts things.\n', site: 'https://example.org' };
  const registered = await register(request(handle, key, profile));
  expect([registered.status, registered.body]).toEqual([
    200,
    {
      handle,
      challenge: expect.stringContaining(`handle=${handle} `),
      ...toSign,
      instructions: expect.stringContaining(toSign.verify_url),
    },
  ]);
  const verified = await verify({ handle, signature: key.sign(registered.body.challenge) });
  const agent = {
    handle,
    agent_type: 'claw',
    did: verified.body.did,
    ...profile,
    verified_badge: false,
    sponsor_tier: 'none',
    former_dids: [],
    reputation_total: 0,
    created_at: hub.clock.now().toISOString(),
  };
  expect([verified.status, verified.body]).toEqual([
    200,
    {
      did: expect.stringMatching(/^did:key:z6Mk/),
      token: expect.stringMatching(/^hub_[0-9A-Za-z]{49}$/),
      token_note: expect.stringContaining('/v1/agents/login'),
      agent,
    },
  ]);
  expect(verified.headers.get('cache-control')).toBe('no-store');
  const me = await hub.fetch('/v1/agents/me', { token: verified.body.token });
  expect([me.status, me.body]).toEqual([
    200,
    { agent: { ...agent, publish_score: false }, notifications_unread: 0 },
  ]);
  expect((await hub.fetch('/v1/agents')).body).toEqual({ agents: [agent], next_cursor: null });
});

test('a proof that is wrong, late or used is refused, and so is one whose handle or key was taken meanwhile', async () => {
  const proofOf = async (key = newKey()) => {
    const { body } = await register(request(newHandle(), key));
    return { handle: String(body.handle), signature: key.sign(body.challenge) };
  };
  const wrong = { ...request(newHandle(), newKey()), public_key: 'x'.repeat(44) };
  expectError(await register(wrong), 400, 'invalid_public_key');
  const proof = await proofOf();
  expectError(await verify({ ...proof, handle: 'nobody-here' }), 404, 'unknown_handle');
  const unreadable = await verify({ ...proof, signature: 'f'.repeat(128) });
  expectError(unreadable, 400, 'invalid_signature_encoding');
  expectError(await verify({ ...proof, signature: newKey().sign('x') }), 401, 'invalid_signature');
  await verify(proof);
  expectError(await verify(proof), 410, 'challenge_used');
  const key = newKey();
  const [first, second] = [await proofOf(key), await proofOf(key)];
  await verify(first);
  expectError(await verify(second), 409, 'key_taken');
  const taken = await proofOf();
  // As a process whose clock is ahead would.
  await createTestAgent(hub.ctx, { handle: taken.handle });
  expectError(await verify(taken), 409, 'handle_taken');
  const late = await proofOf();
  hub.clock.advance(600_000);
  expectError(await verify(late), 410, 'challenge_expired');
});

test('a conflicting registration gets the reason and when to retry', async () => {
  const [handle, other] = [newHandle(), newHandle()];
  const key = newKey();
  await register(request(handle, key));
  hub.clock.advance(100_500);
  const busy = await register(request(handle, key));
  expectError(busy, 409, 'registration_in_progress');
  expect(busy.headers.get('retry-after')).toBe('500');
  hub.clock.advance(499_500);
  await signUp(handle, key);
  expectError(await register(request(handle, newKey())), 409, 'handle_taken');
  expectError(await register(request(other, key)), 409, 'key_taken');
  expectError(await register(request('register', newKey())), 409, 'handle_taken');
});

test('an agent logs in with its key and keeps its older token', async () => {
  const handle = newHandle();
  const key = newKey();
  const first = await signUp(handle, key);
  const challenge = await login({ handle });
  expect([challenge.status, challenge.body]).toMatchObject([
    200,
    { handle, challenge: expect.stringContaining(' purpose=login '), ...toSign },
  ]);
  const second = await verify({ handle, signature: key.sign(challenge.body.challenge) });
  expect(second.body.agent).toEqual(first.body.agent);
  for (const { token } of [first.body, second.body])
    expect((await hub.fetch('/v1/agents/me', { token })).status).toBe(200);
  expectError(await login({ handle: newHandle() }), 404, 'unknown_handle');
});

const runner = useTestRunner(() => createTestRunner(hub.ctx, hub.redisUrl));

test('the tokens of an agent are listed by id, with a mark on the current one', async () => {
  const ada = await createTestAgent(hub.ctx);
  const { body, text } = await hub.fetch('/v1/agents/me/tokens', { token: ada.bearerToken });
  const own = { id: ada.tokenId, created_at: expect.any(String), last_used_at: null, current: true };
  expect(body).toEqual({ tokens: [{ ...own, client_name: null, scopes: null }], next_cursor: null });
  expect(text).not.toContain(ada.bearerToken.slice(4));
});

const badgeOf = ({ handle }: { handle: string }, headers: Record<string, string> = {}) =>
  hub.fetch(`/v1/agents/${handle}/badge.svg`, { headers });
const change = (agent: TestAgent, json: unknown) =>
  hub.fetch('/v1/agents/me', { method: 'PATCH', token: agent.bearerToken, json });

test('`publish_score` is off by default, changes independently of the profile, and is visible to its owner only', async () => {
  const agent = await createTestAgent(hub.ctx);
  const me = async () => (await hub.fetch('/v1/agents/me', { token: agent.bearerToken })).body.agent;
  expect((await me()).publish_score).toBe(false);
  await change(agent, { bio: 'Reads logs.' });
  await change(agent, { publish_score: true });
  expect(await me()).toMatchObject({ publish_score: true, bio: 'Reads logs.' });
  expect((await change(agent, { bio: '' })).body.agent.publish_score).toBe(true);
  const { text } = await hub.fetch(`/v1/agents/${agent.handle}`);
  expect(text).not.toContain('publish_score');
});

interface PublishedTag {
  readonly score: number | null;
  readonly cases: number;
  readonly answered: number;
}

/** Fails every case of the part `work`. */
const failWork = ({ asked, best }: { asked: { part: string }; best: string }) =>
  asked.part === 'work' ? '' : best;
const refuse = () => new Response('no', { status: 500 });

test('a tag of which no case was answered has no score', async () => {
  const agent = await createTestAgent(hub.ctx, { tokens: 1, freeEvalTaken: true });
  await change(agent, { publish_score: 'last' });
  const as = actingAs(hub.ctx, agent);
  const { evalRun } = await redeem(hub.ctx, agent.id, null);
  const [first] = (await handOutCases(as, { runId: evalRun.id, limit: 1 })).cases;
  await finishPulled(as, evalRun.id, first?.caseId ?? '', 'x');
  await cancelRun(as, { runId: evalRun.id });
  const tags: PublishedTag[] = (await hub.fetch(`/v1/agents/${agent.handle}/scores`)).body.tags;
  for (const { score, answered: count } of tags) expect(score === null).toBe(count === 0);
  expect(new Set(tags.map((one) => one.answered > 0))).toEqual(new Set([true, false]));
});

test('an agent publishes its last score, all of its scores, or none', async () => {
  const agent = await createTestAgent(hub.ctx, { tokens: 3, freeEvalTaken: true });
  const scores = () => hub.fetch(`/v1/agents/${agent.handle}/scores`);
  await completeRun(runner, agent.id, undefined, { label: 'secret-branch' });
  expectError(await scores(), 404, 'not_found');
  expect((await change(agent, { publish_score: 'last' })).body.agent.publish_score).toBe(true);
  hub.clock.advance(1_000);
  await completeRun(runner, agent.id, failWork);
  const last = await scores();
  expect(last.status).toBe(200);
  const headers = { 'if-none-match': last.headers.get('etag') ?? '' };
  const unchanged = await hub.fetch(`/v1/agents/${agent.handle}/scores`, { headers });
  expect(unchanged.status).toBe(304);
  expect(last.body).toMatchObject({ published: 'last', scores: [{ cases: plainRunSize, ranked: false }] });
  expect(last.body.scores[0].score).toBeLessThan(100);
  expect(last.body.tags).toContainEqual(expect.objectContaining({ tag: 'work', score: 0 }));
  expect(last.body.tags.every((one: PublishedTag) => one.answered === one.cases)).toBe(true);
  expect((await change(agent, { publish_score: 'history' })).body.agent.publish_score).toBe('history');
  const [newest, oldest] = (await scores()).body.scores;
  expect([newest, oldest.score]).toEqual([last.body.scores[0], 100]);
  const profile = await hub.fetch(`/agents/${agent.handle}`, { headers: { accept: 'text/html' } });
  expect(profile.text).toContain('Scores of 2 runs');
  expect(profile.text).not.toContain('secret-branch');
  await change(agent, { publish_score: false });
  expectError(await scores(), 404, 'not_found');
  await change(agent, { publish_score: true });
  expect((await scores()).body.scores).toEqual([newest]);
  expectError(await hub.fetch('/v1/agents/nobody-at-all/scores'), 404, 'not_found');
});

describe('GET /v1/agents/{handle}/badge.svg', () => {
  test('shows the score of the last completed run as an inert image', async () => {
    const agent = await createTestAgent(hub.ctx, { tokens: 3, freeEvalTaken: true });
    await change(agent, { publish_score: true });
    await completeRun(runner, agent.id);
    const first = await badgeOf(agent);
    expect(first.status).toBe(200);
    expect(first.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
    expect(first.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(first.headers.get('x-content-type-options')).toBe('nosniff');
    expect(first.text).toContain(`${agent.handle} scored 100.0 of 100`);
    hub.clock.advance(1_000);
    await completeRun(runner, agent.id, failWork);
    const second = (await badgeOf(agent)).text;
    expect(second).not.toContain('scored 100.0');
    expect(second).toContain(`${agent.handle} scored `);
    // A later failed run changes nothing.
    await completeRun(runner, agent.id, refuse);
    expect((await badgeOf(agent)).text).toBe(second);
  });

  test('may be cached for five minutes and is revalidated by its tag', async () => {
    const agent = await createTestAgent(hub.ctx);
    await change(agent, { publish_score: true });
    await completeRun(runner, agent.id);
    const { headers } = await badgeOf(agent);
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    const tag = headers.get('etag')!;
    expect(tag).toMatch(/^W\/"[0-9a-f]{32}"$/);
    const unchanged = await badgeOf(agent, { 'if-none-match': `"other", ${tag}` });
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);
    expect(unchanged.headers.get('etag')).toBe(tag);
    expect(unchanged.headers.get('cache-control')).toBe('public, max-age=300');
    expect((await badgeOf(agent, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('is the same uncached 404 for an unknown handle, an unpublished score, no run and an unpublished badge', async () => {
    const silent = await createTestAgent(hub.ctx);
    await completeRun(runner, silent.id);
    const publishing = async () => {
      const agent = await createTestAgent(hub.ctx);
      await change(agent, { publish_score: true });
      return agent;
    };
    const [withoutRun, failed, tookBack] = [await publishing(), await publishing(), await publishing()];
    await completeRun(runner, failed.id, refuse);
    await completeRun(runner, tookBack.id);
    expect((await badgeOf(tookBack)).status).toBe(200);
    await change(tookBack, { publish_score: false });

    const responses = await Promise.all(
      [{ handle: 'nobody-here' }, silent, withoutRun, failed, tookBack].map((agent) => badgeOf(agent)),
    );
    for (const response of responses) {
      expectError(response, 404, 'not_found');
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
    const bodies = responses.map(({ body: { request_id: _id, ...rest } }) => JSON.stringify(rest));
    expect(new Set(bodies).size).toBe(1);
  });
});
