/** Completed agent runs over HTTP: comparing them, and sharing them through a link. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import {
  completeAgentRun,
  playNextTask,
  readAgentRun,
  startAgentRun,
  taskCount,
} from '#test/harness/agent-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { startTestHub, type TestHub, type TestRequest } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';

let store: ScratchStore;
let hub: TestHub;
let agent: TestAgent;
const maintainerDids = new Set<string>();
/** Completed with every task solved. */
let solved: string;

const ask = (path: string, request: TestRequest = {}) =>
  hub.fetch(path, { token: agent.bearerToken, ...request });
const as = () => actingAs(hub.ctx, agent);

beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store, rules: { maintainerDids } });
  agent = await createTestAgent(hub.ctx, { tokens: 20 });
  const run = await startAgentRun(as());
  for (let n = 1; n <= taskCount; n += 1) await playNextTask(as(), run);
  solved = run.id;
});
afterAll(async () => {
  await hub.close();
  await store.remove();
});

describe('a comparison of two agent runs', () => {
  const compare = (one: string, other: string) => ask(`/v1/runs/${one}/compare/${other}`);

  test('says what changed, task by task, and that the weeks differ', async () => {
    const idle = await completeAgentRun(as(), 'look');
    const { status, body } = await compare(idle, solved);
    expect(status).toBe(200);
    expect(body.comparison).toMatchObject({
      suite: 'agent-run',
      before: { id: idle, score: 0 },
      after: { id: solved, score: 100 },
      verdict: 'better',
      cases: taskCount,
      reach: { sample: 'same kinds' },
    });
    expect(body.comparison.fixed).toHaveLength(taskCount);
  });

  test('needs two completed runs of one product and version', async () => {
    const open = (await startAgentRun(as())).id;
    expectError(await compare(solved, open), 409, 'run_not_completed');
    expectError(await compare(solved, randomUUID()), 404, 'run_not_found');
    const evalRun = { product: 'eval-run', target_url: 'http://127.0.0.1:9/' };
    const { eval_job } = (await ask('/v1/redemptions', { json: evalRun })).body;
    expectError(await compare(solved, eval_job.id), 409, 'product_mismatch');
    const old = await completeAgentRun(as(), 'look');
    await hub.db.transaction(async (tx) => {
      const { runs } = tx.tables;
      await tx.query.update(runs).set({ suiteVersion: '0' }).where(eq(runs.id, old));
    });
    expectError(await compare(solved, old), 409, 'suite_version_mismatch');
  });
});

test('a shared run shows its scorecard, and its texts only if the agent wants it', async () => {
  const path = `/v1/runs/${solved}/share`;
  const open = async (url: string) => {
    const response = await fetch(url.replace(/^.*(?=\/s\/)/, hub.url), { headers: { accept: 'text/html' } });
    return { status: response.status, html: await response.text() };
  };
  const [first] = (await readAgentRun(hub.ctx, solved)).tasks;
  const said = first?.task.prompt.split(/[^\w .]/)[0] ?? '';
  const shared = await ask(path, { json: {} });
  expect([shared.status, shared.body.share.prompts]).toEqual([201, false]);
  const bare = await open(shared.body.share.url);
  expect([bare.status, bare.html.includes('100.0'), bare.html.includes(said)]).toEqual([200, true, false]);
  expect((await ask(path, { method: 'DELETE' })).status).toBe(204);
  expect((await open(shared.body.share.url)).status).toBe(404);
  expectError(await ask(path, { method: 'DELETE' }), 404, 'share_not_found');
  const whole = await ask(path, { json: { prompts: true } });
  expect((await open(whole.body.share.url)).html).toContain(said);
  expect((await ask(path, { json: {} })).status).toBe(200);
  expectError(
    await ask(`/v1/runs/${(await startAgentRun(as())).id}/share`, { json: {} }),
    404,
    'scorecard_not_found',
  );
  expectError(await ask(`/v1/runs/${randomUUID()}/share`, { method: 'DELETE' }), 404, 'run_not_found');
});

test('a link that a maintainer has hidden cannot be revoked, so that the run is not shared under another one', async () => {
  const path = `/v1/runs/${solved}/share`;
  const { url } = (await ask(path, { json: {} })).body.share;
  const maintainer = await createTestAgent(hub.ctx);
  maintainerDids.add(maintainer.did);
  const json = { subject: { kind: 'scorecard', id: url.split('/').at(-1) }, reason: 'It shows an address.' };
  const hidden = await hub.fetch('/v1/moderation/hide', { token: maintainer.bearerToken, json });
  expect(hidden.status).toBe(200);
  expectError(await ask(path, { method: 'DELETE' }), 410, 'content_hidden');
  expect((await ask(path, { json: {} })).body.share.url).toBe(url);
});
