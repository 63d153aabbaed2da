/**
 * Another agent's resources look like missing ones, or are accessible only to their host or participants.
 * Every agent operation on a single resource is listed here with the error a stranger gets; a new one fails
 * until it is listed.
 */
import { beforeAll, expect, test } from 'bun:test';
import { hubEndpoints } from '#api/routes.ts';
import { listSessions } from '#domain/sessions/sessions.ts';
import { startSession } from '#domain/sessions/sign-in-link.ts';
import { completeAgentRun } from '#test/harness/agent-runs.ts';
import { createId } from '#runtime/create-id.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { documentOf, listDocumentedAnswers } from '#test/harness/documented-answers.ts';
import { completeRun, createTestRunner } from '#test/harness/eval-runs.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { type TestResponse, useTestAgent } from '#test/harness/hub.ts';
import { listOperations } from '#test/harness/operations.ts';
import { readStore } from '#test/harness/read-store.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { deliveriesOf } from '#test/harness/webhooks.ts';

const document = documentOf(hubEndpoints);
const ofAgents = listOperations(document, listDocumentedAnswers(document)).filter(
  ({ access }) => access === 'agent',
);

const idForm = /[\da-f-]{36}/g;
const withoutIds = (text: string): string => text.replaceAll(idForm, '…');

interface Refusal {
  readonly told: string;
  /** The parameters that the operation requires. */
  readonly query?: string;
  readonly json?: object;
  /** The owner's response where the state of the resource no longer allows the operation. */
  readonly owner?: string;
}
const run = { told: '404 run_not_found' };
const missing = { told: '404 not_found' };
const notAuthor = { told: '403 not_author' };

/** The error for a stranger who requests the owner's resource. */
const refusals: Readonly<Record<string, Refusal>> = {
  'DELETE /v1/agents/me/credentials/{id}': missing,
  'DELETE /v1/agents/me/sessions/{id}': missing,
  'DELETE /v1/agents/me/tokens/{id}': missing,
  'POST /v1/runs/{id}/regrade': { ...run, owner: 'conflict' },
  'POST /v1/runs/{id}/share': run,
  'DELETE /v1/runs/{id}/share': run,
  'GET /v1/runs/{id}': run,
  'GET /v1/runs/{id}/events': run,
  'GET /v1/runs/{id}/report': { ...run, query: '?format=csv' },
  'GET /v1/runs/{id}/judgements': run,
  'POST /v1/runs/{id}/judgements': {
    ...run,
    owner: 'case_not_found',
    json: { judgements: [{ id: '0.0', replies: ['x'] }] },
  },
  'POST /v1/runs/{id}/cases/{case_id}/overrule': {
    ...run,
    owner: 'conflict',
    json: { passed: true, reason: 'x' },
  },
  'GET /v1/runs/{id}/agreement': run,
  'GET /v1/runs/{id}/cases/next': { ...run, owner: 'not_pull_mode' },
  'GET /v1/runs/{id}/compare/{other_id}': { ...run, owner: 'invalid_parameter' },
  'POST /v1/runs/{id}/answers': {
    ...run,
    owner: 'not_pull_mode',
    json: { answers: [{ case_id: 'x', text: '' }] },
  },
  'POST /v1/runs/{id}/cancel': { ...run, owner: 'run_ended' },
  'GET /v1/eval-jobs/{id}': run,
  'GET /v1/runs/{id}/cases/{case_id}/prompt': run,
  'POST /v1/events/{event_id}/cancel': { told: '404 seat_not_found' },
  'GET /v1/events/{event_id}/seats': { told: '403 not_allowed' },
  'POST /v1/events/{event_id}/seats/{seat_id}/meeting': {
    told: '403 not_allowed',
    json: { starts_at: '2100-01-01T00:00:00Z', place: 'Elsewhere' },
  },
  'POST /v1/work-orders/{id}/transition': { told: '403 not_a_participant', json: { to: 'rejected' } },
  'PATCH /v1/threads/{id}/posts/{post_id}': { ...notAuthor, json: { body: 'Mine' } },
  'DELETE /v1/threads/{id}/posts/{post_id}': notAuthor,
  'DELETE /v1/threads/{id}': notAuthor,
  'PATCH /v1/skills/{name}': { ...notAuthor, json: { description: 'Mine' } },
  'DELETE /v1/skills/{name}': notAuthor,
  'PATCH /v1/suites/{owner}/{name}': { ...missing, json: { title: 'Mine' } },
  'DELETE /v1/suites/{owner}/{name}/drafts/{id}': missing,
  'POST /v1/suites/{owner}/{name}/drafts/{id}/take-in': {
    ...missing,
    json: { grader: 9 },
    owner: 'invalid_body',
  },
  'DELETE /v1/suites/{owner}/{name}': missing,
  'POST /v1/suites/{owner}/{name}/drafts': {
    ...missing,
    json: { verdict: 'accepted', span: {} },
    owner: 'invalid_body',
  },
  'GET /v1/suites/{owner}/{name}/drafts': missing,
  'GET /v1/suites/{owner}/{name}/matrix': {
    ...missing,
    query: '?labels=main,other',
    owner: 'run_not_found',
  },
  'GET /v1/suites/{owner}/{name}/runs': missing,
  'GET /v1/suites/{owner}/{name}/runs/{run_id}': {
    ...missing,
    // The run of the id is not one of the suite.
    owner: 'run_not_found',
  },
  'DELETE /v1/webhooks/{id}': missing,
  'GET /v1/webhooks/{id}/deliveries': missing,
  'POST /v1/webhooks/{id}/verify': missing,
  // A challenge is not sent again as a delivery.
  'POST /v1/webhooks/{id}/deliveries/{delivery_id}/retry': { ...missing, owner: 'not_found' },
};
/** Operations that every agent may use on any resource. */
const openToAll = [
  'POST /v1/events/{event_id}/reserve',
  'POST /v1/events/{event_id}/waitlist',
  'POST /v1/threads/{id}/posts',
  'POST /v1/work-orders/{id}/comments',
];

test('every agent operation on a single resource is in one of the two lists', () => {
  const ofOneThing = ofAgents.filter(({ path }) => path.includes('{'));
  const names = ofOneThing.map(({ method, path }) => `${method} ${path}`);
  expect(names.toSorted()).toEqual([...Object.keys(refusals), ...openToAll].toSorted());
});

forEachStore((store) => {
  const { hub } = useEventHub({ store });
  const owner = useTestAgent(hub, { handle: 'owner', tokens: 100 });
  const stranger = useTestAgent(hub, { handle: 'stranger', tokens: 100 });
  let ids: Readonly<Record<string, string>>;
  /** Texts and ids that only the owner may see. */
  let secrets: readonly string[];
  beforeAll(async () => {
    using runner = createTestRunner(hub.ctx, hub.redisUrl);
    const jobId = await completeRun(runner, owner.id);
    const runId = (await completeAgentRun(actingAs(hub.ctx, owner))).id;
    const ask = async (path: string, json: object) =>
      (await hub.fetch(path, { token: owner.bearerToken, json })).body;
    const { share } = await ask(`/v1/runs/${jobId}/share`, {});
    await ask(`/v1/runs/${runId}/share`, {});
    const { url: signInUrl } = await ask('/v1/agents/me/sign-in-links', {});
    await startSession(hub.ctx, { secret: signInUrl.split('/').at(-1), userAgent: 'A browser' });
    const [session] = await listSessions(actingAs(hub.ctx, owner));
    const { webhook: hook } = await ask('/v1/webhooks', {
      url: 'https://owner.example/hook',
      events: ['thread.reply'],
    });
    const host = { hostAgentId: owner.id, hostHandle: 'owner' };
    const event = await createTestEvent(hub.ctx, { kind: 'office_hours', seatsTotal: 1, ...host });
    const { seat } = await ask(`/v1/events/${event.id}/reserve`, { idempotency_key: 'a key' });
    const thread = await ask('/v1/threads', { title: 'A title', body: 'A body' });
    const post = await ask(`/v1/threads/${thread.id}/posts`, { body: 'A reply' });
    const skill = { name: 'own-skill', description: 'It helps', repo_url: 'https://git.example/skill' };
    await ask('/v1/skills', skill);
    const cases = [{ prompt: 'Say a.', expect: [{ equals: 'a' }] }];
    await ask('/v1/suites', { suite: 1, name: 'own-suite', cases });
    const { draft } = await ask('/v1/suites/@owner/own-suite/drafts', {
      verdict: 'accepted',
      request: { messages: [{ role: 'user', content: 'Say b.' }] },
      response: { choices: [{ message: { content: 'b' } }] },
    });
    const order = await ask('/v1/work-orders', { title: 'A title', description: 'A problem' });
    const { agentCredentials } = hub.db.tables;
    const createdAt = hub.clock.now();
    const from = { issuer: 'did:web:other.example', host: 'other.example', credential: {}, hash: 'x' };
    const credential = { id: createId(createdAt), agentId: owner.id, ...from, createdAt };
    await hub.db.transaction(({ query }) => query.insert(agentCredentials).values(credential));
    ids = {
      credentials: credential.id,
      sessions: session!.id,
      tokens: owner.tokenId,
      'eval-jobs': jobId,
      runs: jobId,
      cases: 'word-1',
      events: event.id,
      seats: seat.id,
      'work-orders': order.id,
      threads: thread.id,
      posts: post.id,
      skills: skill.name,
      suites: '@owner',
      drafts: draft.id,
      '{owner}': 'own-suite',
      webhooks: hook.id,
      deliveries: (await deliveriesOf(hub.ctx, hook.id))[0]!.id,
    };
    const ofTheSeat = [seat.id, seat.ics_url];
    const ofTheHook = [hook.id, hook.url, hook.secret];
    secrets = [owner.tokenId, session!.id, runId, jobId, share.url, ...ofTheSeat, ...ofTheHook];
  });

  /**
   * Each parameter takes the id of the resource before it in the path. `{other_id}` is a second run; the same
   * one will do.
   */
  function fillIn(path: string): string {
    const parts = path.split('/');
    const idAfter = (name: string): string => ids[name === 'compare' ? parts[2]! : name]!;
    return parts.map((part, index) => (part.startsWith('{') ? idAfter(parts[index - 1]!) : part)).join('/');
  }

  function ask(name: string, agent: TestAgent): Promise<TestResponse> {
    const [method = '', path = ''] = name.split(' ');
    const { json, query = '' } = refusals[name] ?? {};
    return hub.fetch(fillIn(path) + query, { method, token: agent.bearerToken, json });
  }

  test('a stranger gets the declared error, learns nothing and changes nothing', async () => {
    const before = await readStore(store.db);
    for (const [name, { told }] of Object.entries(refusals)) {
      const { status, body, text } = await ask(name, stranger);
      expect([name, `${status} ${body?.error}`]).toEqual([name, told]);
      // The response may repeat the requested id.
      const asked = fillIn(name);
      const learnt = secrets.filter((secret) => text.includes(secret) && !asked.includes(secret));
      expect([name, learnt]).toEqual([name, []]);
    }
    expect(await readStore(store.db)).toEqual(before);
  });

  test('a missing resource gets the same error', async () => {
    for (const [name, { told, json, query = '' }] of Object.entries(refusals)) {
      if (!told.startsWith('404')) continue;
      const { status, body } = await ask(name, stranger);
      const [method = '', path = ''] = name.split(' ');
      const absent = fillIn(path).replaceAll(idForm, '01890a5d-ac96-774b-bcce-b302099a8057');
      const other = await hub.fetch(absent + query, { method, token: stranger.bearerToken, json });
      // Events are public, so a missing event may be reported.
      const isPublic = path.startsWith('/v1/events/');
      const expected = isPublic ? '404 event_not_found' : told;
      expect([name, `${other.status} ${other.body.error}`]).toEqual([name, expected]);
      if (isPublic) continue;
      expect([other.status, withoutIds(other.body.message)]).toEqual([status, withoutIds(body.message)]);
    }
  });

  test('a stranger’s own lists never contain the owner’s resources', async () => {
    const lists = ofAgents.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
    expect(lists.length).toBeGreaterThan(6);
    for (const { path } of lists) {
      const theirs = await hub.fetch(path, { token: stranger.bearerToken });
      expect([path, theirs.status]).toEqual([path, 200]);
      expect([path, secrets.filter((secret) => theirs.text.includes(secret))]).toEqual([path, []]);
      expect([path, theirs.text.includes('owner')]).toEqual([path, false]);
    }
    // Make sure that the search detects what is there.
    const own = await Promise.all(lists.map(({ path }) => hub.fetch(path, { token: owner.bearerToken })));
    const seen = own.map(({ text }) => text).join('\n');
    // Two are in no list: the link of the shared run and the secret of the webhook.
    expect(secrets.filter((secret) => !seen.includes(secret))).toEqual([
      expect.stringContaining('/s/'),
      expect.stringMatching(/^whsec_/),
    ]);
  });

  test('the owner succeeds with the same requests', async () => {
    // Destructive requests come last.
    const names = Object.keys(refusals).toSorted((one, other) => rank(one) - rank(other));
    for (const name of names) {
      const { status, body } = await ask(name, owner);
      if (refusals[name]?.owner !== undefined) {
        expect([name, body?.error]).toEqual([name, refusals[name].owner]);
        continue;
      }
      expect([[200, 202, 204].includes(status), body?.error], name).toEqual([true, undefined]);
    }
  });
});

function rank(name: string): number {
  if (name.includes('/tokens/')) return 3;
  if (name === 'DELETE /v1/threads/{id}') return 2; // After its post.
  return name.startsWith('DELETE') || name.includes('cancel') ? 1 : 0;
}
