/** A key whose request failed with the store is had again once the store is back, and no caller waits for that. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Type } from 'typebox';
import { respond, endpoint } from '#api/endpoint.ts';
import { object } from '#api/schemas/object.ts';
import type { OpenDatabase } from '#db/database.ts';
import { type GatedPostgres, openGatedPostgres } from '#test/harness/gated-postgres.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import type { TcpGate } from '#test/harness/tcp-gate.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

/** The store gives up after 8 seconds; asking it twice would take 16. The rest is for a busy machine. */
const refusedWithinMs = 14_000;

let onceClaimed: () => void = () => undefined;

const write = endpoint({
  method: 'POST',
  path: '/write',
  summary: 'Write after the key is claimed',
  tag: 'service',
  auth: 'agent',
  body: object({}),
  idempotent: 'transaction',
  responses: { 201: { description: 'Done.', schema: object({ count: Type.Integer() }) } },
  handle: async ({ ctx }) => {
    onceClaimed();
    return respond(201, { count: (await ctx.db.query.select().from(ctx.db.tables.jobs)).length });
  },
});

let postgres: GatedPostgres;
let gate: TcpGate;
let db: OpenDatabase;
let hub: TestHub;
let agent: TestAgent;

beforeAll(async () => {
  postgres = await openGatedPostgres();

  ({ gate, db } = postgres);
  // Its clock stands still, so that no claim lapses.
  hub = await startTestHub({ store: { db }, endpoints: [write] });
  agent = await createTestAgent(hub.ctx);
});
afterAll(async () => {
  await hub.close();
  await postgres.remove();
});

const send = (key: string) =>
  hub.fetch('/write', { token: agent.bearerToken, json: {}, headers: { 'idempotency-key': key } });

test('a store that goes away under a request leaves its key free as soon as it is back', async () => {
  onceClaimed = () => gate.shut();
  const refused = await send('away');
  expect([refused.status, refused.body.error]).toEqual([503, 'database_unavailable']);
  onceClaimed = () => undefined;
  await gate.open();
  await waitUntil(async () => (await send('away')).status === 201);
});

test('a store that stands still under a request is waited for once, not once more to give back the key', async () => {
  onceClaimed = () => gate.stall();
  const startedAt = performance.now();
  const refused = await send('still');
  expect([refused.status, refused.body.error]).toEqual([503, 'database_unavailable']);
  expect(performance.now() - startedAt).toBeLessThan(refusedWithinMs);
  onceClaimed = () => undefined;
  gate.resume();
  await waitUntil(async () => (await send('still')).status === 201);
}, 40_000);
