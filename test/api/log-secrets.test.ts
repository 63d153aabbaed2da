/**
 * The log says what happened but never what was sent. Every request carries a marker that must not appear in
 * it.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { createLogger } from '#runtime/tracing/log.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { forEachStore } from '#test/harness/stores.ts';

const marker = 'marker7q3x';
forEachStore((store) => {
  const lines: string[] = [];
  let hub: TestHub;
  let agent: TestAgent;
  beforeAll(async () => {
    const logger = createLogger({
      name: 'test',
      level: 'trace',
      destination: { write: (line) => void lines.push(line) },
    });
    hub = await startTestHub({ store, logger });
    agent = await createTestAgent(hub.ctx, { tokens: 3 });
  });
  afterAll(() => hub.close());

  const expectUntold = (): void => {
    expect(lines.filter((line) => line.includes(marker) || line.includes(agent.bearerToken))).toEqual([]);
  };

  test('database errors leave none of the values of their statements in the log', async () => {
    const linesBefore = lines.length;
    const { logger } = hub.deps;
    const { skills, agents } = hub.db.tables;
    const now = new Date();
    const row = {
      id: Bun.randomUUIDv7(),
      handle: marker,
      agentType: 'other' as const,
      publicKey: marker,
      did: marker,
      bio: marker,
      verifiedBadge: false,
      sponsorTier: 'none' as const,
      reputationTotal: 0,
      createdAt: now,
    };
    const attempts = [
      () =>
        hub.db.transaction(async (tx) =>
          tx.query.insert(agents).values([row, { ...row, id: Bun.randomUUIDv7() }]),
        ),
      () =>
        hub.db.transaction(async (tx) =>
          tx.query.insert(agents).values({ ...row, createdAt: null as never }),
        ),
      async () => hub.db.query.select({ x: sql`${marker} collate no_such_collation` }).from(skills),
      async () => hub.db.query.select({ x: sql`json_extract(${marker}, '$')` }).from(agents),
      async () => hub.db.query.select({ x: sql`cast(${marker} as uuid) / no_such_column` }).from(agents),
      async () => hub.db.query.select({ x: sql`cast(${marker}::text as uuid)` }).from(agents),
      async () => hub.db.query.select({ x: sql`cast(${marker}::text as integer)` }).from(agents),
    ];
    let faults = 0;
    for (const attempt of attempts) {
      const err: unknown = await attempt().then(
        () => null,
        (error: unknown) => error,
      );
      if (!(err instanceof Error)) continue;
      faults += 1;
      logger.error({ err }, 'a fault');
      logger.error({ err });
      logger.error(err);
      logger.error(
        { err: new Error('outer', { cause: err }), other: err, driver: err.cause, many: [err] },
        'a fault',
      );
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
    const { status } = await hub.fetch('/v1/threads', {
      token: agent.bearerToken,
      json: { title: marker, body: marker },
    });
    await rename('threads_away', 'threads');
    expect(status).toBe(500);
    expect(lines.at(-1)).toContain('request failed');
    expect(lines.at(-1)).toContain('threads');
    expectUntold();
  });
});
