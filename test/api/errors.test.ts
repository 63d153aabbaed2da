import { describe, expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { respond } from '#api/endpoint.ts';
import { edge, input, replies } from '#api/plugins/edge.ts';
import { errorTable, publicCode } from '#api/errors/error-table.ts';
import { nameRoute } from '#api/openapi/operation-ids.ts';
import { object, uuid } from '#api/schemas.ts';
import { DatabaseUnavailableError } from '#db/errors.ts';
import { DomainError, errorCodes } from '#domain/errors.ts';
import { nameOperations } from '#domain/operation.ts';
import { productNames } from '#domain/runs/products.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { newAgentRow } from '#test/harness/agents.ts';
import { startTestHub, useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { sendRaw } from '#test/harness/raw-http.ts';
import { type SQL, sql } from 'drizzle-orm';
import { forEachStore } from '#test/harness/stores.ts';

let toThrow: unknown = null;
const schema = object({ ok: Type.Boolean() });
const response = replies({ 200: { description: 'Yes.', schema } });
const detail = () => ({ summary: 'Be' });
const thingKey = input(object({ id: uuid() }));
const be = () => ({ ok: true });
const beWrong = () => respond(200, { ok: 'yes' } as unknown as { ok: boolean });
const fail = () => {
  throw toThrow;
};

const modules = [
  new Elysia({ tags: ['service'] })
    .use(edge)
    .post('/fail', fail, { anyone: true, response, errors: errorCodes, detail: detail() })
    .get('/things/:id', be, { anyone: true, params: thingKey, response, detail: detail() })
    .patch('/things/:id', be, { anyone: true, params: thingKey, response, detail: detail() })
    .get('/inside', be, { operator: true, limit: 'none', response, detail: detail() })
    .get('/wrong-body', beWrong, { anyone: true, response, detail: detail() })
    .get('/wrong-code', fail, { anyone: true, response, detail: detail() }),
];

const log: Record<string, unknown>[] = [];
const destination = { write: (line: string) => void log.push(JSON.parse(line)) };
const hub = useTestHub({ modules, logger: createLogger({ name: 'test', level: 'info', destination }) });

async function responseTo(error: unknown) {
  toThrow = error;
  return hub.fetch('/fail', { method: 'POST' });
}

const id = Bun.randomUUIDv7();

describe('an error response', () => {
  test('has a code, a message, optional detail and hint, and the request id', async () => {
    const more = { detail: 'More.', hint: 'Do this.' };
    const rejected = await responseTo(
      new DomainError('conflict', 'No.', { ...more, fields: { extra: [1] } }),
    );
    const request_id = rejected.headers.get('x-request-id');
    expect([rejected.status, rejected.body]).toEqual([
      409,
      { error: 'conflict', message: 'No.', ...more, extra: [1], request_id },
    ]);
    expect(rejected.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(rejected.headers.get('cache-control')).toBe('no-store');
    expect(rejected.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('has the status and the hint of its code, Retry-After with 429 and 503, and WWW-Authenticate with 401', async () => {
    for (const code of errorCodes) {
      const { status, headers, body } = await responseTo(new DomainError(code, 'No.'));
      expect([status, body.error]).toEqual([errorTable[code].status, publicCode(code)]);
      // Waiting does not help if the hub is not configured.
      const isTemporary = (status === 429 || status === 503) && !code.endsWith('_not_configured');
      expect([code, headers.has('retry-after')]).toEqual([code, isTemporary]);
      expect([code, body.hint]).toEqual([code, nameOperations(errorTable[code].advice, nameRoute)]);
      expect([code, headers.has('www-authenticate')]).toEqual([code, status === 401]);
    }
  });

  test('has Retry-After in whole seconds, at least one', async () => {
    for (const [retryAfterSeconds, told] of [
      [12.2, '13'],
      [0.01, '1'],
      [600, '600'],
    ] as const) {
      const error = new DomainError('registration_in_progress', 'No.', { retryAfterSeconds });
      expect((await responseTo(error)).headers.get('retry-after')).toBe(told);
    }
  });

  test.each([
    ['an error', new Error('the password is hunter2')],
    ['a text', 'hunter2'],
    [
      'an error that throws when inspected',
      Object.defineProperty(new Error('hunter2'), 'cause', {
        get: () => {
          throw new Error('no');
        },
      }),
    ],
  ])('for %s is opaque when it is unexpected, and the cause is logged', async (_, error) => {
    log.length = 0;
    const rejected = await responseTo(error);
    expectError(rejected, 500, 'internal_error');
    expect(rejected.text).not.toContain('hunter2');
    expect(log.at(-1)).toMatchObject({ level: 'error', request_id: rejected.body.request_id, status: 500 });
    expect(log.at(-1)?.['err']).toBeDefined();
  });

  test('for an unavailable database is 503, and the cause is logged', async () => {
    log.length = 0;
    const rejected = await responseTo(new DatabaseUnavailableError('locked by hunter2'));
    expectError(rejected, 503, 'database_unavailable');
    expect(rejected.text).not.toContain('hunter2');
    expect(JSON.stringify(log)).toContain('hunter2');
  });

  test('for an unknown path or method is not logged, because strangers can cause any number of them', async () => {
    log.length = 0;
    expect((await hub.fetch('/nowhere', { method: 'POST' })).status).toBe(404);
    expect((await hub.fetch('/fail', { method: 'DELETE' })).status).toBe(405);
    await responseTo(new DomainError('conflict', 'No.'));
    expect(log.map(({ route }) => route)).toEqual(['/fail']);
  });

  test('for an unknown path is 404, and says where all paths are listed', async () => {
    for (const path of [
      '/things',
      '/things/',
      `/things/${id}/`,
      `/things/${id}/more`,
      '/',
      '//',
      '/THINGS/x',
    ])
      expect((await hub.fetch(path)).body.hint).toMatch(/\/docs.*\/openapi\.json/);
  });

  test('for another method is 405 with the supported methods', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'TRACE', 'PROPFIND']) {
      const rejected = await sendRaw(hub.port, [`${method} /things/${id} HTTP/1.1\r\nHost: h\r\n\r\n`]);
      expect(rejected).toStartWith('HTTP/1.1 405');
      expect(rejected).toMatch(/^allow: GET, HEAD, PATCH, OPTIONS\r$/im);
      expect(rejected).toContain('"error":"method_not_allowed"');
    }
  });

  test('for a wrong path parameter is 400', async () => {
    for (const value of ['abc', '%zz', '%00', id.toUpperCase(), `${id}x`]) {
      const rejected = await hub.fetch(`/things/${value}`);
      expectError(rejected, 400, 'invalid_parameter');
      expect(rejected.body.message).toBe('`id` must be a lower-case UUID.');
    }
  });
});

describe('the request id', () => {
  const requestIdFor = async (given: string) =>
    (await hub.fetch(`/things/${id}`, { headers: { 'x-request-id': given } })).headers.get('x-request-id');

  test('is generated for each request and sorts by time', async () => {
    const ids: string[] = [];
    for (let call = 0; call < 3; call += 1)
      ids.push((await hub.fetch(`/things/${id}`)).headers.get('x-request-id') ?? '');
    for (const each of ids) expect(each).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect([...new Set(ids)].toSorted()).toEqual(ids);
  });

  test('is taken from the proxy if it sent one', async () => {
    const given = '0af7651916cd43dd8448eb211c80319c';
    expect(await requestIdFor(given)).toBe(given);
  });

  test('is not taken from the client if it is short, long or no id', async () => {
    for (const given of ['short', 'x'.repeat(65), 'has spaces in between', '<script>alert(1)</script>'])
      expect(await requestIdFor(given)).not.toBe(given);
  });
});

describe('the log', () => {
  test('has a line for each error and each change, and none for a successful read', async () => {
    log.length = 0;
    await hub.fetch(`/things/${id}`);
    expect(log).toEqual([]);
    await hub.fetch(`/things/${id}`, { method: 'PATCH' });
    await hub.fetch('/things/unguessable-text');
    expect(log).toMatchObject([
      { level: 'info', method: 'PATCH', route: '/things/:id', status: 200 },
      { level: 'info', method: 'GET', route: '/things/:id', status: 400, error: 'invalid_parameter' },
    ]);
    expect(JSON.stringify(log)).not.toContain('unguessable-text');
  });

  test('has no line for errors that strangers can cause without limit', async () => {
    const settings = { readsPerMinute: 1, registrationsPerMinute: 2, operatorKey: 'the-operators-key' };
    await using limited = await startTestHub({ store: hub, modules, logger: hub.deps.logger, settings });
    log.length = 0;
    const statuses: number[] = [];
    const ask = async (path: string, headers: Record<string, string> = {}) => {
      statuses.push((await limited.fetch(path, { headers })).status);
    };
    for (let call = 0; call < 3; call += 1) await ask('/things/x');
    for (let call = 0; call < 3; call += 1) await ask('/inside');
    for (let call = 0; call < 4; call += 1) await ask('/inside', { authorization: 'Bearer guess' });
    expect(statuses).toEqual([400, 429, 429, 401, 401, 401, 401, 401, 429, 429]);
    expect(log.map(({ error }) => error)).toEqual(['invalid_parameter', 'invalid_token', 'invalid_token']);
  });
});

test('response checks in tests fail an undeclared shape and an undeclared error code', async () => {
  expect((await hub.fetch('/wrong-body')).status).toBe(500);
  toThrow = new DomainError('handle_taken', 'Not declared.');
  const rejected = await hub.fetch('/wrong-code');
  expect([rejected.status, rejected.body.message]).toEqual([
    500,
    'GET /wrong-code failed with handle_taken, which it does not declare.',
  ]);
});

test('the advice on an unknown product names every product', () => {
  expect(productNames.filter((name) => !errorTable.product_not_available.advice.includes(name))).toEqual([]);
});

/**
 * The log says what happened but never what was sent. Every request carries a marker that must not appear in
 * it.
 */
const marker = 'marker7q3x';

forEachStore((store) => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const hub = useTestHub({ store, logger: createLogger({ name: 'test', level: 'trace', destination }) });
  const agent = useTestAgent(hub, { tokens: 3 });

  const expectUntold = (): void => {
    expect(lines.filter((line) => line.includes(marker) || line.includes(agent.bearerToken))).toEqual([]);
  };

  test('database errors leave none of the values of their statements in the log', async () => {
    const linesBefore = lines.length;
    const { logger } = hub.deps;
    const { agents } = hub.db.tables;
    const row = { ...newAgentRow(new Date()), handle: marker, publicKey: marker, did: marker, bio: marker };
    const insert = (...rows: (typeof row)[]) =>
      hub.db.transaction(async (tx) => tx.query.insert(agents).values(rows));
    const select = async (x: SQL) => hub.db.query.select({ x }).from(agents);
    const attempts = [
      () => insert(row, { ...row, id: Bun.randomUUIDv7() }),
      () => insert({ ...row, createdAt: null as never }),
      () => select(sql`${marker} collate no_such_collation`),
      () => select(sql`json_extract(${marker}, '$')`),
      () => select(sql`cast(${marker} as uuid) / no_such_column`),
      () => select(sql`cast(${marker}::text as uuid)`),
      () => select(sql`cast(${marker}::text as integer)`),
    ];
    let faults = 0;
    for (const attempt of attempts) {
      const err = await attempt().catch((error: unknown) => error);
      if (!(err instanceof Error)) continue;
      faults += 1;
      logger.error({ err }, 'a fault');
      logger.error({ err });
      logger.error(err);
      const outer = new Error('outer', { cause: err });
      logger.error({ err: outer, other: err, driver: err.cause, many: [err] }, 'a fault');
    }
    expect(faults).toBeGreaterThan(4);
    expect(lines.length - linesBefore).toBe(4 * faults);
    expectUntold();
  });

  test('a request that fails internally logs its statement without the values', async () => {
    const rename = (from: string, to: string) =>
      hub.db.transaction(async (tx) => {
        const statement = sql.raw(`alter table ${from} rename to ${to}`);
        if (tx.dialect === 'postgres') await tx.query.execute(statement);
        else (tx.query as unknown as { run(query: typeof statement): void }).run(statement); // The SQLite query builder.
      });
    await rename('threads', 'threads_away');
    const json = { title: marker, body: marker };
    const { status } = await hub.fetch('/v1/threads', { token: agent.bearerToken, json });
    await rename('threads_away', 'threads');
    expect(status).toBe(500);
    expect(lines.at(-1)).toContain('request failed');
    expect(lines.at(-1)).toContain('threads');
    expectUntold();
  });
});
