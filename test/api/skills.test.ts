/** Skills over HTTP, on both stores: publishing, unique names, URLs, pages. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { listSkills } from '#domain/skills/show-skill.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { faultOf, plansOf } from '#test/harness/query-plans.ts';
import { forEachStore } from '#test/harness/stores.ts';

const good = { description: 'What it does', repo_url: 'https://git.example/skill' };

forEachStore((store) => {
  let hub: TestHub;
  let ada: TestAgent;
  beforeAll(async () => {
    hub = await startTestHub({ store });
    ada = await createTestAgent(hub.ctx, { handle: 'ada' });
  });
  afterAll(() => hub.close());

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

  test('every field is accepted at its limit, counted in code points, and rejected one past it', async () => {
    const url = (length: number) => `https://git.example/${'ä'.repeat(length - 20)}`;
    const edge = {
      name: '😀'.repeat(60),
      description: '😀'.repeat(500),
      repo_url: url(300),
      manifest_url: url(300),
    };
    expect((await publish(ada, edge)).status).toBe(201);
    const withoutManifest = { ...good, name: 'No manifest', manifest_url: null };
    expect((await publish(ada, withoutManifest)).status).toBe(201);
    const fresh = { ...good, name: 'Never listed' };
    const wrong: unknown[] = [
      { ...fresh, name: '😀'.repeat(61) },
      { ...fresh, name: '' },
      { ...fresh, name: '  ' },
      { ...fresh, name: 'two\nlines' },
      { ...fresh, description: '😀'.repeat(501) },
      { ...fresh, description: ' ' },
      { ...fresh, repo_url: url(301) },
      { ...fresh, manifest_url: url(301) },
      { ...fresh, repo_url: 'git@git.example:skill.git' },
      { ...fresh, repo_url: 'javascript:alert(1)' },
      { ...fresh, repo_url: 'data:text/html,x' },
      { ...fresh, repo_url: 'https://user:pass@git.example/' },
      { ...fresh, repo_url: 'https://git.example/ x' },
      { ...fresh, repo_url: null },
      { ...fresh, manifest_url: 'file:///etc/passwd' },
      { ...fresh, manifest_url: '' },
      { ...fresh, author_handle: 'bob' },
      { name: fresh.name, description: 'x' },
      { name: fresh.name, repo_url: good.repo_url },
      good,
    ];
    for (const json of wrong) expectError(await publish(ada, json), 400, 'invalid_body');
    const { body } = await hub.fetch('/v1/skills');
    expect(body.skills.map((skill: { name: string }) => skill.name)).not.toContain('Never listed');
  });

  test('a name is unique, for its author too', async () => {
    const bob = await createTestAgent(hub.ctx);
    const json = { ...good, name: 'Taken' };
    expect((await publish(bob, json)).status).toBe(201);
    for (const agent of [ada, bob]) expectError(await publish(agent, json), 409, 'skill_name_taken');
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
