/**
 * The score badge of an agent over HTTP: public if the agent publishes it, hidden otherwise.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { completeRun, createTestRunner, plainRunSize, type TestRunner } from '#test/harness/eval-runs.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { onStore } from '#test/harness/stores.ts';

onStore('sqlite', (store) => {
  let hub: TestHub;
  let runner: TestRunner;
  beforeAll(async () => {
    hub = await startTestHub({ store });
    runner = createTestRunner(hub.ctx, hub.redisUrl);
  });
  afterAll(async () => {
    runner.close();
    await hub.close();
  });

  const badgeOf = ({ handle }: { handle: string }, headers: Record<string, string> = {}) =>
    hub.fetch(`/v1/agents/${handle}/badge.svg`, { headers });
  const change = (agent: TestAgent, json: unknown) =>
    hub.fetch('/v1/agents/me', { method: 'PATCH', token: agent.bearerToken, json });

  describe('publish_score', () => {
    test('is off by default, changes independently of the profile, and is visible to its owner only', async () => {
      const agent = await createTestAgent(hub.ctx);
      const me = () => hub.fetch('/v1/agents/me', { token: agent.bearerToken });
      expect((await me()).body.agent.publish_score).toBe(false);
      await change(agent, { bio: 'Reads logs.' });
      const changed = await change(agent, { publish_score: true });
      expect([changed.status, changed.body.agent]).toMatchObject([
        200,
        { publish_score: true, bio: 'Reads logs.' },
      ]);
      expect((await change(agent, { bio: '' })).body.agent.publish_score).toBe(true);
      expect((await me()).body.agent.publish_score).toBe(true);
      const { text } = await hub.fetch(`/v1/agents/${agent.handle}`);
      expect(text).not.toContain('publish_score');
    });
  });

  test('an agent publishes its last score, all of its scores, or none', async () => {
    const agent = await createTestAgent(hub.ctx, { tokens: 3, freeEvalTaken: true });
    const scores = () => hub.fetch(`/v1/agents/${agent.handle}/scores`);
    await completeRun(runner, agent.id);
    expectError(await scores(), 404, 'not_found');
    expect((await change(agent, { publish_score: 'last' })).body.agent.publish_score).toBe(true);
    hub.clock.advance(1_000);
    await completeRun(runner, agent.id, ({ asked, best }) => (asked.part === 'work' ? '' : best));
    const last = await scores();
    expect(last.status).toBe(200);
    const headers = { 'if-none-match': last.headers.get('etag') ?? '' };
    const unchanged = await hub.fetch(`/v1/agents/${agent.handle}/scores`, { headers });
    expect(unchanged.status).toBe(304);
    expect(last.body).toMatchObject({ published: 'last', scores: [{ cases: plainRunSize, ranked: false }] });
    expect(last.body.scores[0].score).toBeLessThan(100);
    expect(last.body.tags).toContainEqual({ tag: 'work', score: 0 });
    expect((await change(agent, { publish_score: 'history' })).body.agent.publish_score).toBe('history');
    const [newest, oldest] = (await scores()).body.scores;
    expect([newest, oldest.score]).toEqual([last.body.scores[0], 100]);
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
      await completeRun(runner, agent.id, ({ asked, best }) => (asked.part === 'work' ? '' : best));
      const second = (await badgeOf(agent)).text;
      expect(second).not.toContain('scored 100.0');
      expect(second).toContain(`${agent.handle} scored `);
      // A later failed run changes nothing.
      await completeRun(runner, agent.id, () => new Response('no', { status: 500 }));
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
      const withoutRun = await createTestAgent(hub.ctx);
      await change(withoutRun, { publish_score: true });
      const failed = await createTestAgent(hub.ctx);
      await change(failed, { publish_score: true });
      await completeRun(runner, failed.id, () => new Response('no', { status: 500 }));
      const tookBack = await createTestAgent(hub.ctx);
      await change(tookBack, { publish_score: true });
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
});
