/** The rows of prepared statements are those that Drizzle itself would return. */
import { expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { prepareOnce } from '#db/prepare-once.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { insertJobRow } from './job-rows.ts';

interface Query extends PromiseLike<readonly unknown[]> {
  prepare(name: string): { execute(): Promise<readonly unknown[]> };
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
    const statement = prepareOnce((db) => build(db).prepare('rows'))(store.db);
    const read = await statement.execute();
    expect(read.length).toBeGreaterThan(0);
    expect(read).toStrictEqual([...expected]);
  });
});
