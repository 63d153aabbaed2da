/** Skills over HTTP, on both stores: publishing, unique names, URLs, pages. */
import { beforeAll, expect, test } from 'bun:test';
import { listSkills } from '#domain/skills/show-skill.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { faultOf, plansOf } from '#test/harness/query-plans.ts';
import { forEachStore } from '#test/harness/stores.ts';

forEachStore((store) => {
  const hub = useTestHub({ store });
  beforeAll(async () => {
    await createTestAgent(hub.ctx, { handle: 'ada' });
  });

  function publish(agent: TestAgent, json: unknown) {
    hub.clock.advance(1);
    return hub.fetch('/v1/skills', { token: agent.bearerToken, json });
  }

  test('a published skill is listed unchanged and earns 10', async () => {
    const agent = await createTestAgent(hub.ctx);
    const json = {
      name: 'Größe <i>ändern</i>',
      description: 'Line one\nline two\t"quoted"',
      repo_url: 'HTTP://git.example:8080/ä?b=c#d',
      manifest_url: 'https://git.example/manifest.json',
    };
    const published = await publish(agent, json);
    expect([published.status, published.body]).toEqual([201, { ok: true, name: json.name }]);
    const { body } = await hub.fetch('/v1/skills?limit=1');
    expect(body.skills).toEqual([
      { ...json, author_handle: agent.handle, created_at: hub.clock.now().toISOString() },
    ]);
    const reputation = await hub.fetch(`/v1/agents/${agent.handle}/reputation`);
    expect(reputation.body).toMatchObject({
      total: 10,
      breakdown: { skill_published: 1 },
      recent: [{ kind: 'skill_published', reference: json.name, weight: 10 }],
    });
  });

  test('skills are read through an index, in its order', async () => {
    const { nextCursor } = await listSkills(hub.ctx, { limit: 1, cursor: null, author: null });
    for (const cursor of [null, nextCursor]) {
      for (const author of [null, 'ada']) {
        const plans = await plansOf(store, () => listSkills(hub.ctx, { limit: 100, cursor, author }));
        expect(plans.map(faultOf).filter((fault) => fault !== null)).toEqual([]);
      }
    }
  });
});
