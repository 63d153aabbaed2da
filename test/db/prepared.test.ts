/** Frequent statements are prepared once, take lists of any length, and return the rows that Drizzle itself would return. */
import { expect, test } from 'bun:test';
import { and, eq, lt, sql } from 'drizzle-orm';
import { type Database } from '#db/database.ts';
import { filteredStatement } from '#db/filtered-statement.ts';
import { inList } from '#db/conditions.ts';
import { type Executable, listParameter, prepareForTransactions, prepareOnce } from '#db/prepared.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { forEachStore, openScratchStore } from '#test/harness/stores.ts';
import { insertJobRow } from './job-rows.ts';
import {
  findActingAgents,
  findActingAgentsWithBalances,
  hashBearerToken,
} from '#domain/agents/token-bearers.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { connectDirectly } from '#test/harness/postgres.ts';
import { faultOf, recordSelects } from '#test/harness/query-plans.ts';

function jobById({ query, tables: { jobs } }: Database) {
  return query
    .select({ id: jobs.id, createdAt: jobs.createdAt })
    .from(jobs)
    .where(eq(jobs.id, sql.placeholder('id')))
    .prepare('find_job');
}

forEachStore((store) => {
  test('it reads through the handle it is given: two stores, and a transaction before its commit', async () => {
    let prepared = 0;
    const findJob = prepareOnce((db) => {
      prepared += 1;
      return jobById(db);
    });
    const other = await openScratchStore(store.dialect);
    const id = await store.db.transaction(async (tx) => {
      const added = await insertJobRow(tx);
      expect(await findJob(tx).execute({ id: added })).toHaveLength(1);
      expect(await findJob(store.db).execute({ id: added })).toHaveLength(0);
      return added;
    });
    for (let time = 0; time < 3; time += 1) {
      expect(await findJob(store.db).execute({ id })).toHaveLength(1);
      expect(await findJob(other.db).execute({ id })).toHaveLength(0);
    }
    expect(prepared).toBe(3);
    await other.remove();
  });

  test('a statement for transactions is built once per SQLite store or once for all of Postgres, and runs in the given transaction', async () => {
    let prepared = 0;
    const findJob = prepareForTransactions((db) => {
      prepared += 1;
      return jobById(db);
    });
    const other = await openScratchStore(store.dialect);
    for (const { db } of [store, other, store]) {
      await db.transaction(async (tx) => {
        const id = await insertJobRow(tx);
        const [row] = await findJob(tx).execute({ id });
        expect(row).toEqual({ id, createdAt: expect.any(Date) });
        expect(await findJob(other.db).execute({ id })).toHaveLength(0);
      });
    }
    expect(prepared).toBe({ sqlite: 3, postgres: 1 }[store.dialect]);
    await other.remove();
  });

  test('a statement with optional conditions is built once for each combination, and again for each search', async () => {
    let built = 0;
    const select = filteredStatement<{ id?: string | undefined; before: Date | undefined }, { id: string }>(
      ({ query, tables: { jobs } }, { id, before }, found) => {
        built += 1;
        const isBefore = before && lt(jobs.createdAt, sql.param(before, jobs.createdAt));
        return query
          .select({ id: jobs.id })
          .from(jobs)
          .where(and(id && eq(jobs.id, id), isBefore, found));
      },
    );
    const { db } = store;
    const { jobs } = db.tables;
    const [one, other] = await db.transaction(async (tx) => [await insertJobRow(tx), await insertJobRow(tx)]);
    const future = new Date(Date.now() + 1_000_000);
    for (const id of [one, other, one]) {
      expect(await select(db, { id, before: future })).toEqual([{ id }]);
      expect(await select(db, { id, before: new Date(0) })).toEqual([]);
      expect(await select(db, { id, before: undefined })).toEqual([{ id }]);
    }
    expect(built).toBe(2);
    for (const id of [one, other])
      expect(await select(db, { before: future }, eq(jobs.id, id))).toEqual([{ id }]);
    expect((await select(db, { before: future })).length).toBeGreaterThan(1);
    expect(built).toBe(5);
  });

  test('a list matches the rows it names, whatever its length and content', async () => {
    const handles = Array.from({ length: 3 }, (_, index) => `listed-${index}-${store.dialect}`);
    for (const handle of handles) await createTestAgent(createTestCtx(store.db), { handle });
    const { agents } = store.db.tables;
    const find = async (list: readonly string[]) => {
      const { query } = store.db;
      const rows = await query
        .select()
        .from(agents)
        .where(inList(store.db, agents.handle, list));
      return rows.map(({ handle }) => handle).toSorted();
    };
    expect(await find([])).toEqual([]);
    expect(await find(handles.slice(1))).toEqual(handles.slice(1));
    const hostile = [`'`, '"', '{}', 'a,b', '\\', `${handles[0]}' or '1'='1`, 'null', '😀'];
    expect(await find(hostile)).toEqual([]);
    expect(await find([...hostile, handles[0]!])).toEqual([handles[0]!]);
    const strangers = Array.from({ length: 5000 }, (_, index) => `nobody-${index}`);
    expect(await find([...strangers, ...handles])).toEqual(handles);
  });

  test('one prepared statement accepts lists of any length, also of ids', async () => {
    const { id } = await createTestAgent(createTestCtx(store.db));
    const { agents } = store.db.tables;
    const prepared = store.db.query
      .select({ id: agents.id })
      .from(agents)
      .where(inList(store.db, agents.id, sql.placeholder('ids')))
      .prepare('find_by_ids');
    expect(await prepared.execute({ ids: listParameter([]) })).toEqual([]);
    expect(await prepared.execute({ ids: listParameter([id]) })).toEqual([{ id }]);
    expect(await prepared.execute({ ids: listParameter([Bun.randomUUIDv7(), id]) })).toEqual([{ id }]);
  });
});

interface Query extends PromiseLike<readonly unknown[]> {
  prepare(name: string): Pick<Executable, 'getQuery'> & { execute(): Promise<readonly unknown[]> };
}

const queries: Readonly<Record<string, (db: Database) => Query>> = {
  'all columns of a table': ({ query, tables }) => query.select().from(tables.agents),
  'JSON, instants, numbers and null': ({ query, tables: { agents, jobs } }) =>
    query
      .select({
        formerDids: agents.formerDids,
        createdAt: jobs.createdAt,
        bio: agents.bio,
        payload: jobs.payload,
      })
      .from(agents)
      .leftJoin(jobs, sql`true`),
  'expressions, with and without a decoder and an alias': ({ query, tables: { agents } }) =>
    query
      .select({
        plain: sql<string>`${agents.handle} || '!'`,
        named: sql<string>`${agents.handle}`.as('named'),
        decoded: sql`1`.mapWith((value) => ({ value: Number(value) })),
        decodedAndNamed: sql`${agents.createdAt}`.mapWith(agents.createdAt).as('decoded'),
        nothing: sql`null`.mapWith(agents.createdAt),
      })
      .from(agents),
  'two tables': ({ query, tables: { agents, bearerTokens } }) =>
    query.select().from(agents).innerJoin(bearerTokens, eq(bearerTokens.agentId, agents.id)),
  'a table without a row': ({ query, tables: { agents, sessions } }) =>
    query.select().from(agents).leftJoin(sessions, eq(sessions.agentId, agents.id)),
  'objects of columns, of one table, of two, and of none': ({ query, tables: { agents, sessions } }) =>
    query
      .select({
        own: { id: agents.id, bio: agents.bio },
        missing: { id: sessions.id, agentId: sessions.agentId },
        mixed: { id: sessions.id, handle: agents.handle },
        computed: { sum: sql<number>`1 + 1`.mapWith(Number), id: sessions.id },
        id: agents.id,
      })
      .from(agents)
      .leftJoin(sessions, eq(sessions.agentId, agents.id)),
  'a table of which only the first column is null': ({ query, tables: { agents, jobs } }) =>
    query
      .select({ id: agents.id, job: { nothing: sql<null>`null`, id: jobs.id } })
      .from(agents)
      .leftJoin(jobs, sql`true`),
  'the columns of a subquery': ({ query, tables: { agents } }) => {
    const found = query.select({ id: agents.id, at: agents.createdAt }).from(agents).as('found');
    return query.select({ id: found.id, at: found.at }).from(found);
  },
};

forEachStore((store) => {
  test.each(Object.keys(queries))('%s', async (name) => {
    await createTestAgent(createTestCtx(store.db));
    await store.db.transaction((tx) => insertJobRow(tx));
    const build = queries[name]!;
    const expected = await build(store.db);
    const statement = prepareForTransactions((db) => build(db).prepare('rows'));
    const read = await store.db.transaction((tx) => statement(tx).execute());
    expect(read.length).toBeGreaterThan(0);
    expect(read).toStrictEqual([...expected]);
  });
});

const crowdSize = 1_000;
const lookUps = { 'by themselves': findActingAgents, 'with balances': findActingAgentsWithBalances };

forEachStore((store) => {
  test.each(Object.entries(lookUps))('bearer tokens are looked up by index %s', async (_how, lookUp) => {
    const ctx = createTestCtx(store.db);
    const crowd = await createCrowd(ctx, crowdSize, 1);
    const hashes = crowd.slice(0, 20).map(({ bearerToken }) => hashBearerToken(bearerToken));
    let found: ReadonlyMap<string, { agent: { id: string } }> = new Map();
    const [select] = await recordSelects(store.db, async () => {
      found = await lookUp(store.db, [...hashes, 'unknown']);
    });
    expect(hashes.map((hash) => found.get(hash)?.agent.id)).toEqual(crowd.slice(0, 20).map(({ id }) => id));
    expect(found.size).toBe(20);
    if (store.setting.kind === 'sqlite') return;
    await using client = connectDirectly(store.setting.url);
    // With statistics, a scan of so few agents seems cheap.
    await client.unsafe('analyze agents, bearer_tokens, token_accounts, token_lots');
    await client.unsafe('set plan_cache_mode = force_generic_plan');
    await client.unsafe(`prepare look_up as ${select?.sql}`);
    const rows: Record<string, string>[] = await client.unsafe(
      `explain execute look_up(${select?.params.map(() => 'null').join(', ')})`,
    );
    expect(faultOf(rows.map((row) => Object.values(row)[0]).join('\n'))).toBeNull();
  });
});
