/**
 * The idempotency key of a request that failed with the database is free again once the database is back, and
 * no response is delayed by releasing it.
 */
import { expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { respond } from '#api/endpoint.ts';
import { edge, input, replies } from '#api/plugins/edge.ts';
import { object } from '#api/schemas.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { openGatedPostgres } from '#test/harness/gated-postgres.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { useStarted } from '#test/harness/use-started.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const bounds = { statementTimeoutMs: 4_500, queryTimeoutMs: 5_000, transactionTimeoutMs: 5_000 };
/** Asking the store twice would take 10 seconds. The rest allows for a busy machine. */
const rejectedWithinMs = 9_500;

let onceClaimed: () => void = () => undefined;

const modules = [
  new Elysia({ tags: ['service'] }).use(edge).post(
    '/write',
    async ({ ctx }) => {
      onceClaimed();
      return respond(201, { count: (await ctx.db.query.select().from(ctx.db.tables.jobs)).length });
    },
    {
      agent: true,
      body: input(object({})),
      once: 'transaction',
      response: replies({ 201: { description: 'Done.', schema: object({ count: Type.Integer() }) } }),
      detail: { summary: 'Write after the key is claimed' },
    },
  ),
];

const postgres = useStarted(
  () => openGatedPostgres(bounds),
  (opened) => opened.remove(),
);
// The clock stands still, so no claim expires.
const hub = useTestHub({ store: postgres, modules });
const agent = useTestAgent(hub);

const send = (key: string) =>
  hub.fetch('/write', { token: agent.bearerToken, json: {}, headers: { 'idempotency-key': key } });

test('a key is free again as soon as a lost database is back', async () => {
  onceClaimed = () => postgres.gate.shut();
  expectError(await send('away'), 503, 'database_unavailable');
  onceClaimed = () => undefined;
  await postgres.gate.open();
  await waitUntil(async () => (await send('away')).status === 201);
});

test('a request waits for a stalled database once, not again to release its key', async () => {
  onceClaimed = () => postgres.gate.stall();
  const startedAt = performance.now();
  expectError(await send('still'), 503, 'database_unavailable');
  expect(performance.now() - startedAt).toBeLessThan(rejectedWithinMs);
  onceClaimed = () => undefined;
  postgres.gate.resume();
  await waitUntil(async () => (await send('still')).status === 201);
});
