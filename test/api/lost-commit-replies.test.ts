/**
 * Postgres commits, and the connection breaks before its reply arrives. Whichever commit of a request this hits, the
 * client gets an error or the right response, and a repeat with the same idempotency key returns the one effect.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { OpenDatabase } from '#db/database.ts';
import { openPostgres } from '#db/postgres.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { startEventHub } from '#test/harness/event-hub.ts';
import { createTestEvent } from '#test/harness/events.ts';
import { type GatedPostgres, openGatedPostgres } from '#test/harness/gated-postgres.ts';
import type { TestHub, TestResponse } from '#test/harness/hub.ts';
import { rowOf, rowsOf } from '#test/harness/rows.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

/** CommandComplete with its length and tag. The server sends it after it has committed. */
const commitReply = Buffer.from('C\0\0\0\x0bCOMMIT\0');
/** No request below has so many commits. */
const commitsMax = 12;
const tokens = 5;
const refusals = ['database_unavailable', 'queue_unavailable', 'request_in_progress'];

let postgres: GatedPostgres;
/** Past the gate. */
let direct: OpenDatabase;
let hub: TestHub;

beforeAll(async () => {
  postgres = await openGatedPostgres();
  direct = openPostgres(postgres.url);
  ({ hub } = await startEventHub({ store: postgres }));
});
afterAll(async () => {
  await hub.close();
  await direct.close();
  await postgres.remove();
});

interface Request {
  readonly path: string;
  readonly json: object;
  readonly cost: number;
  /** The id of what a response reports. */
  readonly idIn: (body: TestResponse['body']) => string;
  /** The rows that this request has stored. */
  readonly stored: () => Promise<readonly { readonly id: string }[]>;
}

const requests: Readonly<Record<string, (agent: TestAgent) => Promise<Request>>> = {
  'a reservation': async ({ id: agentId }) => {
    const event = await createTestEvent({ ...hub.ctx, db: direct });
    return {
      path: `/v1/events/${event.id}/reserve`,
      json: {},
      cost: event.tokenPrice,
      idIn: (body) => body.seat.id,
      stored: () => rowsOf({ db: direct }, 'seats', { agentId }),
    };
  },
  'a redemption': async ({ id: agentId }) => ({
    path: '/v1/redemptions',
    json: { product: 'eval-run' },
    cost: 1,
    idIn: (body) => body.run.id,
    stored: () => rowsOf({ db: direct }, 'runs', { agentId }),
  }),
  'a thread': async ({ id: authorId }) => ({
    path: '/v1/threads',
    json: { title: 'A title', body: 'A body' },
    cost: 0,
    idIn: (body) => body.id,
    stored: () => rowsOf({ db: direct }, 'threads', { authorId }),
  }),
};

/** @returns how many commits the request has */
async function loseEachReply(prepare: (agent: TestAgent) => Promise<Request>): Promise<number> {
  for (let commits = 0; commits < commitsMax; commits += 1) {
    const agent = await createTestAgent({ ...hub.ctx, db: direct }, { tokens, freeEvalTaken: true });
    const { path, json, cost, idIn, stored } = await prepare(agent);
    const headers = { 'idempotency-key': 'the same' };
    const send = () => hub.fetch(path, { token: agent.bearerToken, json, headers });
    postgres.gate.cutBefore(commitReply, commits);
    const first = await send();
    const isLost = postgres.gate.endCut();
    if (first.status >= 300) expect(refusals).toContain(first.body.error);
    let repeated = first;
    await waitUntil(async () => (repeated = await send()).status < 300);
    const id = idIn(repeated.body);
    if (first.status < 300) expect(idIn(first.body)).toBe(id);
    expect(idIn((await send()).body)).toBe(id);
    expect((await stored()).map((row) => row.id)).toEqual([id]);
    const { balance } = await rowOf({ db: direct }, 'tokenAccounts', { agentId: agent.id });
    expect(balance).toBe(tokens - cost);
    if (!isLost) return commits;
  }
  throw new Error('The request has more commits than this test expects.');
}

test.each(Object.entries(requests))(
  '%s happens once and is charged once, whichever reply to a commit is lost',
  async (_name, prepare) => {
    // That of the key or the activation, and that of the effect.
    expect(await loseEachReply(prepare)).toBeGreaterThan(1);
    const drifts = (await auditHub({ ...hub.ctx, db: direct })).filter((check) => check.drifts.length > 0);
    expect(drifts).toEqual([]);
  },
);

test('more requests than there are connections are then served at once', async () => {
  const agent = await createTestAgent(hub.ctx);
  const sent = Array.from({ length: 20 }, (_, at) =>
    hub.fetch('/v1/threads', { token: agent.bearerToken, json: { title: `${at}`, body: 'A body' } }),
  );
  expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([201]));
});
