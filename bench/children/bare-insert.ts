/**
 * The baseline for redemptions: the same HTTP stack parses the same JSON and durably inserts one row into the
 * same store, without authentication, checks, ledger or job.
 */
import { Elysia } from 'elysia';
import { openPostgres } from '#db/postgres.ts';
import { openSqlite } from '#db/sqlite.ts';
import { createId } from '#runtime/create-id.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { bareRows } from '../stores/bare-table.ts';

interface RedemptionBody {
  readonly product: string;
  readonly target_url: string;
}

const { database } = parseSettings(process.env);
const insert = database.kind === 'sqlite' ? insertIntoSqlite(database.file) : insertIntoPostgres(database);

const app = new Elysia().post('/v1/redemptions', async ({ body }) => {
  const { product, target_url: targetUrl } = body as RedemptionBody; // The load generator sends nothing else.
  const now = new Date();
  const row = { id: createId(now), product, targetUrl, createdAt: now };
  await insert(row);
  return row;
});
app.listen({ port: 0, hostname: '127.0.0.1', reusePort: false });
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true, port: app.server?.port });

type Row = (typeof bareRows)['sqlite']['$inferInsert'];

/** One transaction per row, because all writes on SQLite go through one writer. */
function insertIntoSqlite(file: string): (row: Row) => Promise<unknown> {
  const db = openSqlite(file);
  return (row) => db.transaction(async ({ query }) => query.insert(bareRows.sqlite).values(row));
}

/** One autocommitted statement, the cheapest durable row on Postgres. */
function insertIntoPostgres(setting: typeof database): (row: Row) => Promise<unknown> {
  if (setting.kind !== 'postgres') throw new Error('DATABASE_URL must name a store.');
  const db = openPostgres(setting.url);
  return async (row) => db.query.insert(bareRows.postgres).values(row);
}
