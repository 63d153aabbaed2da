/**
 * The conditions of `index-conditions.ts` let a store use its partial indexes, whatever the parameters of the
 * query.
 */
import { Database as SqliteFile } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { and, eq, isNotNull, lte, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Database, DatabaseSetting, OpenDatabase } from '#db/database.ts';
import { inList, inRowList } from '#db/conditions.ts';
import {
  hasTokensLeft,
  isCompletedRun,
  isMergedWorkOrder,
  isOpenRun,
  isPendingRequest,
  isRefundedRun,
  isReservedSeat,
  isRunningRun,
  isKeptWebhook,
  isPendingDelivery,
  isUnconfirmedSeat,
  isDeletedWebhook,
  isUsedUp,
} from '#db/schema/index-conditions.ts';
import { connectDirectly } from '#test/harness/postgres.ts';
import type { TableName } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';

interface Statement {
  readonly sql: string;
  readonly params: unknown[];
}

/** The query plan of a statement whose parameters are not known yet. */
async function planOf(setting: DatabaseSetting, statement: Statement): Promise<string> {
  switch (setting.kind) {
    case 'sqlite': {
      const file = new SqliteFile(setting.file, { readonly: true });
      const steps = file
        .query<{ detail: string }, null[]>(`explain query plan ${statement.sql}`)
        .all(...statement.params.map(() => null));
      file.close();
      return steps.map((step) => step.detail).join('\n');
    }
    case 'postgres': {
      const client = connectDirectly(setting.url);
      // The planner would scan small tables, and would use parameter values that it knows.
      await client.unsafe('set enable_seqscan = off; set plan_cache_mode = force_generic_plan');
      await client.unsafe(`prepare asked as ${statement.sql}`);
      const nulls = statement.params.map(() => 'null').join(', ');
      const lines: Record<string, string>[] = await client.unsafe(`explain execute asked(${nulls})`);
      await client.close();
      return lines.map((line) => Object.values(line)[0]).join('\n');
    }
  }
}

type Where<Name extends TableName> = (table: Database['tables'][Name], db: OpenDatabase) => SQL | undefined;

const id = Bun.randomUUIDv7();
const now = new Date();

/** A query of the rows of a table, which must use an index. */
function asked<Name extends TableName>(index: string, name: Name, where: Where<Name>) {
  const ask = (db: OpenDatabase): Statement => {
    const table = db.tables[name];
    const rows: PgTable = table;
    return db.query
      .select({ one: sql`1` })
      .from(rows)
      .where(where(table, db))
      .toSQL();
  };
  return [index, ask] as const;
}

const cases = [
  asked('token_lots_live', 'tokenLots', (lots) =>
    and(eq(lots.agentId, id), hasTokensLeft(lots), lte(lots.expiresAt, now)),
  ),
  asked('token_lots_used_up', 'tokenLots', (lots) => and(eq(lots.agentId, id), isUsedUp(lots))),
  asked('token_lots_due', 'tokenLots', (lots) =>
    and(hasTokensLeft(lots), isNotNull(lots.expiresAt), lte(lots.expiresAt, now)),
  ),
  asked('runs_open_by_agent', 'runs', (runs) => and(eq(runs.agentId, id), isOpenRun(runs))),
  asked('runs_completed_by_agent', 'runs', (runs) => and(eq(runs.agentId, id), isCompletedRun(runs))),
  asked('runs_refunded_by_agent', 'runs', (runs) =>
    and(eq(runs.agentId, id), isRefundedRun(runs), lte(runs.finishedAt, now)),
  ),
  asked('runs_running', 'runs', (runs) => and(isRunningRun(runs), lte(runs.startedAt, now))),
  asked('seats_one_live_unique', 'seats', (seats, db) =>
    inRowList(db, seats, [seats.eventId, seats.agentId], [[id, id]], isReservedSeat(seats)),
  ),
  asked('seats_unconfirmed', 'seats', (seats) =>
    and(eq(seats.eventId, id), isUnconfirmedSeat(seats), lte(seats.meetingConfirmBy, now)),
  ),
  asked('webhooks_by_agent', 'webhooks', (hooks, db) =>
    and(inList(db, hooks.agentId, [id]), isKeptWebhook(hooks)),
  ),
  asked('webhooks_deleted_by_agent', 'webhooks', (hooks) =>
    and(eq(hooks.agentId, id), isDeletedWebhook(hooks)),
  ),
  asked('webhook_deliveries_pending', 'webhookDeliveries', (deliveries, db) =>
    and(inList(db, deliveries.webhookId, [id]), isPendingDelivery(deliveries)),
  ),
  asked('work_orders_merged_by_implementer', 'workOrders', (orders) =>
    and(eq(orders.implementerId, id), isMergedWorkOrder(orders)),
  ),
  asked('requests_one_pending', 'requests', (requests) =>
    and(eq(requests.agentId, id), eq(requests.kind, 'tokens'), isPendingRequest(requests)),
  ),
];

forEachStore((store) => {
  test.each(cases)('a query uses the index %s', async (index, ask) => {
    expect(await planOf(store.setting, ask(store.db))).toContain(`${index} `);
  });

  test('the condition with parameters would not use the index, so it is spelled out', async () => {
    const [index, ask] = asked('token_lots_live', 'tokenLots', (lots) =>
      and(eq(lots.agentId, id), sql`${lots.remaining} > ${0}`),
    );
    expect(await planOf(store.setting, ask(store.db))).not.toContain(index);
  });
});
