/** The feed over HTTP: its shape, long polling, and the count on the agent's own page. */
import { describe, expect, spyOn, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { tell } from '#test/harness/webhooks.ts';
import { statementsOnSqlite } from '#test/harness/count-statements.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startWaitingRuns } from '#test/harness/waiting-runs.ts';

const hub = useTestHub();

const ask = ({ bearerToken: token }: TestAgent, path: string, json?: object) =>
  hub.fetch(`/v1${path}`, { token, json });
const list = (agent: TestAgent, query = '') => ask(agent, `/notifications${query}`);
const read = (agent: TestAgent, json: object) => ask(agent, '/notifications/read', json);
/** @returns the id of a thread of the author with a reply of the other agent */
async function startAndReply(author: TestAgent, other: TestAgent): Promise<string> {
  const { id } = (await ask(author, '/threads', { title: 'A title', body: 'A body' })).body;
  await ask(other, `/threads/${id}/posts`, { body: 'A reply' });
  return id;
}

test('a reply appears in the feed of the author, who marks it as read', async () => {
  const [author, other] = [await createTestAgent(hub.ctx), await createTestAgent(hub.ctx)];
  const thread_id = await startAndReply(author, other);
  const { body } = await list(author);
  const [{ id }] = body.notifications;
  const created_at = hub.clock.now().toISOString();
  const data = { thread_id, position: expect.any(Number), author_handle: other.handle };
  expect(body).toEqual({
    notifications: [{ id: expect.any(String), kind: 'thread.reply', created_at, data }],
    next_cursor: id,
    unread: 1,
  });
  const unread = async () => (await ask(author, '/agents/me')).body.notifications_unread;
  expect(await unread()).toBe(1);
  expect((await read(author, { up_to: id })).body).toEqual({ unread: 0 });
  expect(await unread()).toBe(0);
  expectError(await read(other, { up_to: id }), 404, 'not_found');
});

describe('with wait', () => {
  test('the response arrives with the first notification of the requested kind', async () => {
    const [agent, other] = [await createTestAgent(hub.ctx), await createTestAgent(hub.ctx)];
    const waiting = list(agent, '?wait=25&kind=waitlist.open');
    // A notification of another kind.
    await startAndReply(agent, other);
    const [eventId] = await tell(hub.ctx, agent);
    const answer = await waiting;
    expect(answer.body.notifications).toMatchObject([{ kind: 'waitlist.open', data: { event_id: eventId } }]);
    expect((await list(agent, `?wait=25`)).body.notifications).toHaveLength(2);
  });

  test('without news, the wait ends after its seconds, and waiting reads nothing from the store', async () => {
    const agent = await createTestAgent(hub.ctx);
    await tell(hub.ctx, agent);
    const { next_cursor: cursor } = (await list(agent)).body;
    const startedAt = performance.now();
    const waiting = Array.from({ length: 20 }, () => list(agent, `?wait=1&cursor=${cursor}`));
    await Bun.sleep(300);
    const select = spyOn(hub.db.query, 'select');
    await Bun.sleep(300);
    expect(select).not.toHaveBeenCalled();
    select.mockRestore();
    const answers = await Promise.all(waiting);
    expect(performance.now() - startedAt).toBeGreaterThan(950);
    for (const { body } of answers) expect(body).toMatchObject({ notifications: [], next_cursor: cursor });
  });
});

/** Bun's client opens at most 256 connections. */
const waiters = 100;

const quietMs = 500;

test('waiting agents cause no statements until something happens in their own run', async () => {
  const agents = await createCrowd(hub.ctx, waiters, 2);
  const ids = await startWaitingRuns(hub.ctx, agents);
  const over = new AbortController();
  let ended = 0;
  const before = statementsOnSqlite();
  const waiting = agents.map(async ({ bearerToken }, index) => {
    const response = await fetch(`${hub.url}/v1/runs/${ids[index]}/cases/next?wait=25`, {
      headers: { authorization: `Bearer ${bearerToken}` },
      signal: over.signal,
    });
    ended += 1;
    return response.json();
  });
  const [first] = waiting;
  const all = Promise.allSettled(waiting);
  // Each request reads its run once; the lookups of tokens share statements.
  await waitUntil(async () => statementsOnSqlite() - before >= waiters);
  const quiet = await untilQuiet();
  expect(ended).toBe(0);
  await hub.fetch(`/v1/runs/${ids[0]}/cancel`, { token: agents[0]!.bearerToken, json: {} });
  expect(await first).toEqual({ cases: [], remaining: 0, ended: true });
  expect((await untilQuiet()) - quiet).toBeWithin(1, waiters);
  expect(ended).toBe(1);
  over.abort();
  await all;
});

/** @returns the number of statements once no more are sent */
async function untilQuiet(): Promise<number> {
  for (let count = statementsOnSqlite(); ;) {
    await Bun.sleep(quietMs);
    const now = statementsOnSqlite();
    if (now === count) return now;
    count = now;
  }
}
