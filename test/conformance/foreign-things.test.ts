/**
 * Another agent's resources look like missing ones, or are accessible only to their host or participants.
 * Every agent operation on a single resource is listed here with the error a stranger gets; a new one fails
 * until it is listed.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { hubEndpoints } from '#api/routes/index.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { documentOf, listDocumentedAnswers } from '#test/harness/documented-answers.ts';
import { completeRun, createTestRunner } from '#test/harness/eval-runs.ts';
import { createTestEvent, startTestSeats, type TestSeats } from '#test/harness/events.ts';
import { startTestHub, type TestHub, type TestResponse } from '#test/harness/hub.ts';
import { listOperations } from '#test/harness/operations.ts';
import { readStore } from '#test/harness/read-store.ts';
import { forEachStore } from '#test/harness/stores.ts';

const document = documentOf(hubEndpoints);
const ofAgents = listOperations(document, listDocumentedAnswers(document)).filter(
  ({ access }) => access === 'agent',
);

const idForm = /[\da-f-]{36}/g;
const withoutIds = (text: string): string => text.replaceAll(idForm, '…');

interface Refusal {
  readonly told: string;
  readonly json?: object;
}
const job = { told: '404 eval_job_not_found' };
const webhook = { told: '404 webhook_not_found' };

/** The error for a stranger who requests the owner's resource. */
const refusals: Readonly<Record<string, Refusal>> = {
  'DELETE /v1/agents/me/tokens/{id}': { told: '404 token_not_found' },
  'GET /v1/eval-jobs/{id}': job,
  'GET /v1/eval-jobs/{id}/scorecard': job,
  'GET /v1/eval-jobs/{id}/compare/{other_id}': job,
  'GET /v1/eval-jobs/{id}/events': job,
  'POST /v1/events/{event_id}/cancel': { told: '404 seat_not_found' },
  'GET /v1/events/{event_id}/seats': { told: '403 not_host' },
  'POST /v1/events/{event_id}/seats/{seat_id}/meeting': {
    told: '403 not_host',
    json: { starts_at: '2100-01-01T00:00:00Z', place: 'Elsewhere' },
  },
  'POST /v1/work-orders/{id}/transition': { told: '403 not_a_participant', json: { to: 'rejected' } },
  'GET /v1/webhooks/{id}': webhook,
  'DELETE /v1/webhooks/{id}': webhook,
  'GET /v1/webhooks/{id}/deliveries': webhook,
};
/** Operations that every agent may use on any resource. */
const openToAll = [
  'POST /v1/events/{event_id}/reserve',
  'POST /v1/events/{event_id}/waitlist',
  'POST /v1/threads/{id}/posts',
];

test('every agent operation on a single resource is in one of the two lists', () => {
  const ofOneThing = ofAgents.filter(({ path }) => path.includes('{'));
  const names = ofOneThing.map(({ method, path }) => `${method} ${path}`);
  expect(names.toSorted()).toEqual([...Object.keys(refusals), ...openToAll].toSorted());
});

forEachStore((store) => {
  let hub: TestHub;
  let seats: TestSeats;
  let owner: TestAgent;
  let stranger: TestAgent;
  let ids: Readonly<Record<string, string>>;
  /** Texts and ids that only the owner may see. */
  let secrets: readonly string[];
  beforeAll(async () => {
    hub = await startTestHub({ store });
    seats = await startTestSeats(hub.ctx, hub.redisUrl);
    owner = await createTestAgent(hub.ctx, { handle: 'owner', tokens: 100 });
    stranger = await createTestAgent(hub.ctx, { handle: 'stranger', tokens: 100 });
    const runner = createTestRunner(hub.ctx, hub.redisUrl);
    const jobId = await completeRun(runner, owner.id);
    runner.close();
    const ask = async (path: string, json: object) =>
      (await hub.fetch(path, { token: owner.bearerToken, json })).body;
    const { webhook: hook } = await ask('/v1/webhooks', {
      url: 'https://owner.example/hook',
      events: ['thread.reply'],
    });
    const event = await createTestEvent(hub.ctx, {
      kind: 'office_hours',
      seatsTotal: 1,
      hostAgentId: owner.id,
      hostHandle: 'owner',
    });
    const { seat } = await ask(`/v1/events/${event.id}/reserve`, { idempotency_key: 'a key' });
    const order = await ask('/v1/work-orders', { title: 'A title', description: 'A problem' });
    ids = {
      tokens: owner.tokenId,
      'eval-jobs': jobId,
      events: event.id,
      seats: seat.id,
      'work-orders': order.id,
      webhooks: hook.id,
    };
    secrets = [owner.tokenId, jobId, seat.id, seat.ics_url, hook.id, hook.url, hook.secret];
  });
  afterAll(async () => {
    await seats.stop();
    await hub.close();
  });

  /**
   * Each parameter takes the id of the resource before it in the path. `{other_id}` is a second eval job; the
   * same one will do.
   */
  function fillIn(path: string): string {
    const parts = path.replace('compare', 'eval-jobs').split('/');
    const filled = parts.map((part, index) => (part.startsWith('{') ? ids[parts[index - 1]!]! : part));
    return path.includes('compare') ? filled.with(4, 'compare').join('/') : filled.join('/');
  }

  function ask(name: string, agent: TestAgent): Promise<TestResponse> {
    const [method = '', path = ''] = name.split(' ');
    const json = refusals[name]?.json;
    return hub.fetch(fillIn(path), {
      method,
      token: agent.bearerToken,
      ...(json === undefined ? {} : { json }),
    });
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
    for (const [name, { told }] of Object.entries(refusals)) {
      if (!told.startsWith('404')) continue;
      const { status, body } = await ask(name, stranger);
      const [method = '', path = ''] = name.split(' ');
      const absent = fillIn(path).replaceAll(idForm, '01890a5d-ac96-774b-bcce-b302099a8057');
      const other = await hub.fetch(absent, { method, token: stranger.bearerToken });
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
    expect(secrets.filter((secret) => !seen.includes(secret))).toEqual([expect.stringMatching(/^whsec_/)]);
  });

  test('the owner succeeds with the same requests', async () => {
    // Destructive requests come last.
    const names = Object.keys(refusals).toSorted((one, other) => rank(one) - rank(other));
    for (const name of names) {
      const { status, body } = await ask(name, owner);
      expect([name, status, body?.error]).toEqual([name, status === 204 ? 204 : 200, undefined]);
    }
  });
});

function rank(name: string): number {
  if (name.includes('/tokens/')) return 2;
  return name.startsWith('DELETE') || name.includes('cancel') ? 1 : 0;
}
