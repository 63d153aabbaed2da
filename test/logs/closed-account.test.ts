/**
 * An agent closes its account in a hub with two API processes and all workers, while its runs, deliveries, seats and
 * emails are in progress. Afterwards nothing of its own in the store, nothing in Redis or a log, and no public page shows
 * who it was.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { auditHub } from '#domain/audit/audit-hub.ts';
import type { Ctx } from '#domain/context.ts';
import { findSeatsToGiveBack } from '#domain/events/find-seats-to-give-back.ts';
import { systemClock } from '#runtime/clock.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import { bio, ownRowsWith, rowsWith } from '#test/domain/account/traces.ts';
import { newKey } from '#test/domain/agents/sign-up.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { databaseUrlOf } from '#test/harness/hub-command.ts';
import { type Receiver, startReceiver } from '#test/harness/receiver.ts';
import { rowsOf } from '#test/harness/rows.ts';
import { onStore } from '#test/harness/stores.ts';
import { startTarget, type TestTarget } from '#test/harness/target.ts';
import { useTransport } from '#test/harness/transport.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startHub, type WholeHub } from '#test/harness/whole-hub.ts';

/** Everything in Redis as text. */
async function readRedis(redis: Redis): Promise<string> {
  const parts: unknown[] = [];
  for (const key of await redis.keys('*')) {
    parts.push(key);
    const type = await redis.type(key);
    if (type === 'string') parts.push(await redis.get(key));
    if (type === 'hash') parts.push(await redis.hgetall(key));
    if (type === 'list') parts.push(await redis.lrange(key, 0, '-1'));
    if (type === 'set') parts.push(await redis.smembers(key));
    if (type === 'zset') parts.push(await redis.zrange(key, 0, '-1'));
    if (type === 'stream') parts.push(await redis.xrange(key, '-', '+'));
  }
  return JSON.stringify(parts);
}

onStore('sqlite', (store) => {
  const handle = `wombat-${store.dialect}`;
  const key = newKey();
  const calls: (() => void)[] = [];
  const transport = useTransport();
  let ctx: Ctx;
  let bob: TestAgent;
  let maintainer: TestAgent;
  let hub: WholeHub;
  let url: string;
  /** Never responds. Its path names the agent. */
  let target: TestTarget;
  /** Echoes the challenge, and fails afterwards. */
  let receiver: Receiver;
  let token: string;

  beforeAll(async () => {
    ctx = { ...createTestCtx(store.db), clock: systemClock, publisher: transport.publisher };
    [bob, maintainer] = [await createTestAgent(ctx), await createTestAgent(ctx)];
    target = startTarget(() => new Promise((resolve) => calls.push(() => resolve('late'))));
    receiver = startReceiver();
    receiver.answer = () => new Response(`I am ${handle}`, { status: 500 });
    hub = startHub({
      DATABASE_URL: databaseUrlOf(store.setting),
      REDIS_URL: transport.redisUrl,
      PORT: '0',
      API_PROCESSES: '2',
      MAINTAINER_DIDS: maintainer.did,
      CONTACT_TO: 'team@hub.test',
    });
    await hub.until(/Agent Hub is ready/);
    url = await hub.address();
  });
  afterAll(() => Promise.all([target.stop(), receiver.stop()]));

  async function call(path: string, json?: object, by = token) {
    const headers = {
      authorization: `Bearer ${by}`,
      'idempotency-key': `${by === token ? handle : 'other'}-${Bun.randomUUIDv7()}`,
      'content-type': 'application/json',
    };
    const sent = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) };
    const response = await fetch(url + path, { headers, ...sent });
    const text = await response.text();
    const body = response.ok && text.startsWith('{') ? JSON.parse(text) : {};
    return { status: response.status, text, body };
  }

  async function signUp(): Promise<string> {
    const registration = { handle, agent_type: 'other', public_key: key.publicKey, bio };
    const { body } = await call('/v1/agents/register', registration, 'none');
    const signed = { handle, signature: key.sign(body.challenge) };
    const verified = await call('/v1/agents/verify', signed, 'none');
    token = verified.body.token;
    return verified.body.agent.did;
  }

  /** @returns the paths that others read later */
  async function leaveEverythingOpen(): Promise<string[]> {
    const targetUrl = `${target.url}/${handle}`;
    const event = await createTestEvent(ctx, { kind: 'office_hours', tokenPrice: 0 });
    const refused: string[] = [];
    const post = async (path: string, json: object, by = token) => {
      const { status, body, text } = await call(path, json, by);
      if (status >= 300) refused.push(`${path}: ${text}`);
      return body;
    };
    await post('/v1/tokens/grants', { handle, amount: 50, reason: `For ${handle}` }, maintainer.bearerToken);
    const events = ['thread.reply', 'moderation.hidden', 'seat.cancelled'];
    await post('/v1/webhooks', { url: `${receiver.url}/${handle}`, events });
    await waitUntil(async () => (await call('/v1/webhooks')).body.webhooks[0].status === 'active');
    await post('/v1/redemptions', { product: 'eval-run', target_url: targetUrl });
    const pulled = await post('/v1/redemptions', { product: 'eval-run' });
    await call(`/v1/runs/${pulled.eval_job?.id}/cases/next`);
    const openai = { url: targetUrl, protocol: 'openai-chat', model: handle, headers: { 'x-key': handle } };
    await post('/v1/redemptions', { product: 'agent-run', target: openai });
    const seat = await post(`/v1/events/${event.id}/reserve`, {});
    const thread = await post('/v1/threads', { title: 'Own', body: 'Opening' });
    const bobs = await post('/v1/threads', { title: 'Of Bob', body: 'Opening' }, bob.bearerToken);
    await post(`/v1/threads/${bobs.id}/posts`, { body: 'A reply' });
    await post(`/v1/threads/${thread.id}/posts`, { body: 'A reply' }, bob.bearerToken);
    await post('/v1/reports', { subject: { kind: 'agent', id: bob.handle }, reason: `It insults ${handle}` });
    await post('/v1/work-orders', { title: 'A title', description: 'x', bounty: 5 });
    await post('/v1/agents/me/sign-in-links', {});
    expect(refused).toEqual([]);
    const calendar = new URL(seat.seat.ics_url).pathname;
    return [calendar, `/v1/threads/${thread.id}`, `/v1/threads/${bobs.id}`, `/forum/${thread.id}`];
  }

  test('nothing shows who had the closed account', async () => {
    const did = await signUp();
    const paths = await leaveEverythingOpen();
    await waitUntil(async () => calls.length >= 1 && receiver.received.length > 0);
    const own = token;
    const texts = [handle, did, key.publicKey, bio, own];
    expect((await rowsWith(ctx, texts)).length).toBeGreaterThan(10);
    const { body } = await call('/v1/agents/me/close', {});
    const closed = await call('/v1/agents/me/close', { signature: key.sign(body.challenge) });
    expect([closed.status, closed.body]).toEqual([200, { closed: true }]);
    for (const answer of calls) answer();
    // The actors release the seats, and the sweeper writes off the refund.
    await waitUntil(async () => (await findSeatsToGiveBack(ctx, null)).length === 0);
    await waitUntil(async () => (await rowsOf(store, 'tokenAccounts')).every(({ balance }) => balance === 0));
    const reads = [
      ...paths,
      '/v1/agents',
      `/v1/agents/${handle}`,
      `/agents/${handle}`,
      `/v1/agents?q=${handle}`,
      `/v1/agents?q=${bio.split(' ')[1]}`,
      `/v1/agents?did=${encodeURIComponent(did)}`,
      ...'/v1/threads /forum.atom /v1/work-orders /v1/leaderboard /v1/events'.split(' '),
      '/v1/moderation/summary',
    ];
    for (const path of reads) {
      const { text } = await call(path, undefined, bob.bearerToken);
      // An error repeats the requested name.
      const asked = new URL(path, url);
      const shown = text.replaceAll(`\`${handle}\``, '').replaceAll(asked.search || '?', '');
      expect([path, texts.filter((one) => shown.includes(one))]).toEqual([path, []]);
    }
    expect(await ownRowsWith(ctx, [], texts)).toEqual([]);
    const inRedis = await readRedis(transport.redis);
    expect(texts.filter((text) => inRedis.includes(text))).toEqual([]);
    expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
    const { exitCode, output, complaints } = await hub.stop();
    expect(exitCode).toBe(0);
    const lines = (output + complaints).split('\n');
    for (const route of ['/v1/agents/me/close', '/v1/webhooks'])
      expect(lines.some((line) => line.includes(`"route":"${route}"`))).toBe(true);
    expect(lines.filter((line) => texts.some((text) => line.includes(text)))).toEqual([]);
  });
});
