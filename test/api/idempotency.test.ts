import { beforeEach, describe, expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { respond } from '#api/endpoint.ts';
import { edge, input, replies } from '#api/plugins/edge.ts';
import { object } from '#api/schemas.ts';
import { type AgentCtx, withTransaction } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { claimMs } from '#domain/idempotency/claim-key.ts';
import { openDatabase } from '#db/open-database.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { openGatedPostgres } from '#test/harness/gated-postgres.ts';
import { startTestHub, useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { rowOf, rowsOf } from '#test/harness/rows.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { useStarted } from '#test/harness/use-started.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { forEachStore } from '#test/harness/stores.ts';

/** The effect of a request: one more row in a table that accepts any text. */
async function leaveMark(ctx: AgentCtx, purpose: string): Promise<string> {
  const id = Bun.randomUUIDv7();
  await withTransaction(ctx, async ({ db }) => {
    await db.query.insert(db.tables.jobs).values({
      id,
      kind: `test:${ctx.agent.id}`,
      payload: { purpose },
      createdAt: ctx.clock.now(),
      runAt: ctx.clock.now(),
      publishedAt: ctx.clock.now(),
    });
  });
  return id;
}

/** What the handlers do before and after their effect, set by each test. */
const script = { before: async (): Promise<void> => undefined, after: async (): Promise<void> => undefined };

const marked = object({ id: Type.String(), z: Type.Integer(), a: Type.Integer() });
const body = object({ purpose: Type.String(), more: Type.Optional(Type.Unknown()) });
const common = () => ({
  body: input(body),
  response: replies({ 201: { description: 'Done.', schema: marked } }),
  detail: { summary: 'Leave a mark' },
});

async function handleMark({ ctx, body: { purpose } }: { ctx: AgentCtx; body: { purpose: string } }) {
  await script.before();
  const id = await leaveMark(ctx, purpose);
  await script.after();
  return respond(201, { id, z: 1, a: 2 }, { location: `/marks/${id}` });
}

const modules = [
  new Elysia({ tags: ['service'] })
    .use(edge)
    .post('/within', handleMark, { ...common(), agent: true, once: 'transaction', errors: ['not_found'] })
    .post('/after', handleMark, { ...common(), agent: true, once: 'after', errors: ['not_found'] })
    .post('/secret', handleMark, {
      ...common(),
      agent: true,
      once: 'transaction',
      responseSecret: {
        leaveOut: () => ({ z: 1, a: 2 }),
        putBack: (stored: unknown, secretKey: string) => ({
          ...(stored as object),
          id: `derived with ${secretKey}`,
        }),
      },
    })
    .post('/things/:id', handleMark, {
      ...common(),
      agent: true,
      params: input(object({ id: Type.String() })),
      query: input(object({ mode: Type.Optional(Type.String()) })),
      once: 'transaction',
    }),
];

forEachStore((store) => {
  let agent: TestAgent;
  const send = (path: string, key: string, json: object = { purpose: 'a' }, on = hub) =>
    on.fetch(path, { token: agent.bearerToken, json, headers: { 'idempotency-key': key } });
  const marks = async () => (await rowsOf(store, 'jobs', { kind: `test:${agent.id}` })).length;

  const hub = useTestHub({ store, modules });
  beforeEach(async () => {
    agent = await createTestAgent(hub.ctx);
    script.before = script.after = async () => undefined;
  });

  describe.each(['/within', '/after'])('a repeated request to %s', (path) => {
    test('gets the identical response again and has no second effect', async () => {
      const first = await send(path, 'k');
      const second = await send(path, 'k');
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.text).toBe(first.text);
      expect(first.headers.get('idempotent-replayed')).toBeNull();
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
      expect(await marks()).toBe(1);
    });

    test('is the same in any order of fields, and different with other content', async () => {
      await send(path, 'k', { purpose: 'a', more: { x: 1, y: [1, 2] } });
      const reordered = await send(path, 'k', { more: { y: [1, 2], x: 1 }, purpose: 'a' });
      expect(reordered.headers.get('idempotent-replayed')).toBe('true');
      for (const json of [
        { purpose: 'b', more: { x: 1, y: [1, 2] } },
        { purpose: 'a', more: { x: 1, y: [2, 1] } },
      ])
        expectError(await send(path, 'k', json), 409, 'idempotency_key_reused');
      expect(await marks()).toBe(1);
    });

    test('may have numbers that are too large for JSON', async () => {
      const headers = { 'idempotency-key': 'k', 'content-type': 'application/json' };
      const large = '{"purpose":"a","more":1e999}';
      const given = { method: 'POST', token: agent.bearerToken, body: large, headers };
      expect((await hub.fetch(path, given)).status).toBe(201);
      expect((await hub.fetch(path, given)).headers.get('idempotent-replayed')).toBe('true');
    });

    test('sent many times concurrently through two processes has one effect', async () => {
      const db = await openDatabase(store.setting);
      const other = await startTestHub({ store: { db }, modules, redisUrl: hub.redisUrl, clock: hub.clock });
      script.before = () => Bun.sleep(20);
      const responses = await Promise.all(
        Array.from({ length: 16 }, (_, index) => send(path, 'k', undefined, index % 2 === 0 ? hub : other)),
      );
      expect(await marks()).toBe(1);
      const ids = new Set(responses.filter(({ status }) => status === 201).map(({ body: { id } }) => id));
      expect(ids.size).toBe(1);
      for (const rejected of responses.filter(({ status }) => status !== 201)) {
        expectError(rejected, 409, 'request_in_progress');
        expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      await other.close();
      await db.close();
    });

    test.each([
      [404, new DomainError('not_found', 'Not yet.')],
      [500, new Error('a defect')],
    ])('runs again after a %d', async (status, error) => {
      script.before = async () => {
        throw error;
      };
      expect((await send(path, 'k')).status).toBe(status);
      script.before = async () => undefined;
      expect((await send(path, 'k', { purpose: 'other' })).status).toBe(201);
      expect(await marks()).toBe(1);
    });

    // A transaction on SQLite has the only writer.
    const canWait = store.dialect === 'postgres' || path === '/after';
    test.if(canWait)(
      'keeps its key while it runs, and a dead process keeps one for five seconds at most',
      async () => {
        expect(claimMs).toBeLessThanOrEqual(5_000);
        const { promise: held, resolve: release } = Promise.withResolvers<void>();
        let calls = 0;
        script.before = async () => {
          calls += 1;
          await held;
        };
        const slow = send(path, 'slow');
        await waitUntil(async () => calls > 0);
        // The clock of the hub stands still, so the claim lasts until here only if it was extended.
        hub.clock.advance(claimMs - 1_000);
        await Bun.sleep(2_000);
        hub.clock.advance(2_000);
        expect((await send(path, 'slow')).body.error).toBe('request_in_progress');
        script.before = async () => undefined;
        release();
        expect((await slow).status).toBe(201);
        expect([(await send(path, 'slow')).status, calls]).toEqual([201, 1]);
      },
    );
  });

  test.if(store.dialect === 'postgres')(
    'an effect and its stored response are rolled back when the key is lost during the transaction',
    async () => {
      const { promise: held, resolve: release } = Promise.withResolvers<void>();
      const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
      let calls = 0;
      script.after = async () => {
        calls += 1;
        if (calls > 1) return;
        reach();
        await held;
      };
      const stalled = send('/within', 'k');
      await reached;
      hub.clock.advance(claimMs);
      const taker = await send('/within', 'k');
      release();
      const late = await stalled;
      expect([taker.status, late.status, late.body.error]).toEqual([201, 409, 'request_in_progress']);
      expect(await marks()).toBe(1);
      expect((await send('/within', 'k')).body).toEqual(taker.body);
    },
  );

  test('a different path or query makes a different request', async () => {
    await send('/things/1?mode=x', 'k');
    expect((await send('/things/1?mode=x', 'k')).status).toBe(201);
    expect((await send('/things/2?mode=x', 'k')).body.error).toBe('idempotency_key_reused');
    expect((await send('/things/1?mode=y', 'k')).body.error).toBe('idempotency_key_reused');
  });

  test('a request without a key runs every time', async () => {
    const request = { token: agent.bearerToken, json: { purpose: 'a' } };
    for (let times = 0; times < 2; times += 1) expect((await hub.fetch('/within', request)).status).toBe(201);
    expect(await marks()).toBe(2);
  });

  test('a key has 1 to 200 characters of any kind except control characters', async () => {
    for (const key of ['k'.repeat(200), 'schlüssel-À', '😀'.repeat(200)]) {
      // Clients send such keys as UTF-8 bytes.
      const bytes = Buffer.from(key).toString('latin1');
      expect([key, (await send('/within', bytes)).status]).toEqual([key, 201]);
      expect((await send('/within', bytes)).headers.get('idempotent-replayed')).toBe('true');
    }
    const rows = await rowsOf(store, 'idempotencyKeys', { agentId: agent.id });
    expect(rows.map(({ key }) => key)).toContain('schlüssel-À');
    // Latin-1 that is not UTF-8 is a valid key too.
    expect((await send('/within', 'caf\u00e9')).status).toBe(201);
    for (const key of ['k'.repeat(201), '', Buffer.from('😀'.repeat(201)).toString('latin1')]) {
      const rejected = await send('/within', key);
      expectError(rejected, 400, 'invalid_parameter');
      expect(rejected.body.message).toContain('Idempotency-Key');
    }
  });

  test('a secret is not stored with its response, and is put back for a retry', async () => {
    const first = await send('/secret', 'k');
    expect(first.status).toBe(201);
    const { body: kept } = await rowOf(store, 'idempotencyKeys', { agentId: agent.id });
    expect(kept).toEqual({ z: 1, a: 2 });
    const repeat = await send('/secret', 'k');
    expect([repeat.status, repeat.body.id]).toEqual([201, `derived with ${testSecretKey}`]);
    expect(await marks()).toBe(1);
  });
});

describe('the key of a request that fails with the database', () => {
  const bounds = { statementTimeoutMs: 4_500, queryTimeoutMs: 5_000, transactionTimeoutMs: 5_000 };
  /** Asking the store twice would take 10 seconds. The rest allows for a busy machine. */
  const rejectedWithinMs = 9_500;
  const postgres = useStarted(
    () => openGatedPostgres(bounds),
    (opened) => opened.remove(),
  );
  // The clock stands still, so no claim expires.
  const hub = useTestHub({ store: postgres, modules });
  const agent = useTestAgent(hub);
  const json = { purpose: 'a' };
  const send = (key: string) =>
    hub.fetch('/within', { token: agent.bearerToken, json, headers: { 'idempotency-key': key } });
  /** Sends a request that loses the database once its key is claimed. */
  async function expectLost(key: string, lose: () => void): Promise<void> {
    script.before = async () => lose();
    expectError(await send(key), 503, 'database_unavailable');
    script.before = async () => undefined;
  }

  test('is free again as soon as a lost database is back', async () => {
    await expectLost('away', () => postgres.gate.shut());
    await postgres.gate.open();
    await waitUntil(async () => (await send('away')).status === 201);
  });

  test('is released without waiting for a stalled database a second time', async () => {
    const startedAt = performance.now();
    await expectLost('still', () => postgres.gate.stall());
    expect(performance.now() - startedAt).toBeLessThan(rejectedWithinMs);
    postgres.gate.resume();
    await waitUntil(async () => (await send('still')).status === 201);
  });
});
