/**
 * The conditions of `index-conditions.ts` let a store use its partial indexes, whatever the parameters of the
 * query.
 */
import { Database as SqliteFile } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { and, desc, eq, isNotNull, lte, type SQL, sql } from 'drizzle-orm';
import type { DatabaseSetting, OpenDatabase } from '#db/database.ts';
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
import { forEachStore } from '#test/harness/stores.ts';
import { connectDirectly } from '#test/harness/postgres.ts';

interface Statement {
  readonly sql: string;
  readonly params: unknown[];
}

/** The query plan of a statement whose parameters are not known yet. */
async function planOf(setting: DatabaseSetting, statement: Statement): Promise<string> {
  switch (setting.kind) {
    case 'sqlite': {
      using file = new SqliteFile(setting.file, { readonly: true });
      const steps = file
        .query<{ detail: string }, null[]>(`explain query plan ${statement.sql}`)
        .all(...statement.params.map(() => null));
      return steps.map((step) => step.detail).join('\n');
    }
    case 'postgres': {
      await using client = connectDirectly(setting.url);
      // The planner would scan small tables, and would use parameter values that it knows.
      await client.unsafe('set enable_seqscan = off; set plan_cache_mode = force_generic_plan');
      await client.unsafe(`prepare asked as ${statement.sql}`);
      const nulls = statement.params.map(() => 'null').join(', ');
      const lines: Record<string, string>[] = await client.unsafe(`explain execute asked(${nulls})`);
      return lines.map((line) => Object.values(line)[0]).join('\n');
    }
  }
}

const id = Bun.randomUUIDv7();
const now = new Date();
type Tables = OpenDatabase['tables'];
/** An index, and the rows of its table that it must find. */
const cases: readonly (readonly [string, keyof Tables, (db: OpenDatabase) => SQL | undefined])[] = [
  [
    'token_lots_live',
    'tokenLots',
    ({ tables: { tokenLots } }) =>
      and(eq(tokenLots.agentId, id), hasTokensLeft(tokenLots), lte(tokenLots.expiresAt, now)),
  ],
  [
    'token_lots_used_up',
    'tokenLots',
    ({ tables: { tokenLots } }) => and(eq(tokenLots.agentId, id), isUsedUp(tokenLots)),
  ],
  [
    'webhooks_deleted_by_agent',
    'webhooks',
    ({ tables: { webhooks } }) => and(eq(webhooks.agentId, id), isDeletedWebhook(webhooks)),
  ],
  [
    'token_lots_due',
    'tokenLots',
    ({ tables: { tokenLots } }) =>
      and(hasTokensLeft(tokenLots), isNotNull(tokenLots.expiresAt), lte(tokenLots.expiresAt, now)),
  ],
  ['runs_open_by_agent', 'runs', ({ tables: { runs } }) => and(eq(runs.agentId, id), isOpenRun(runs))],
  [
    'runs_refunded_by_agent',
    'runs',
    ({ tables: { runs } }) => and(eq(runs.agentId, id), isRefundedRun(runs), lte(runs.finishedAt, now)),
  ],
  ['runs_running', 'runs', ({ tables: { runs } }) => and(isRunningRun(runs), lte(runs.startedAt, now))],
  [
    'seats_one_live_unique',
    'seats',
    (db, { seats } = db.tables) =>
      inRowList(db, seats, [seats.eventId, seats.agentId], [[id, id]], isReservedSeat(seats)),
  ],
  [
    'seats_unconfirmed',
    'seats',
    ({ tables: { seats } }) =>
      and(eq(seats.eventId, id), isUnconfirmedSeat(seats), lte(seats.meetingConfirmBy, now)),
  ],
  [
    'webhooks_by_agent',
    'webhooks',
    (db, { webhooks } = db.tables) => and(inList(db, webhooks.agentId, [id]), isKeptWebhook(webhooks)),
  ],
  [
    'webhook_deliveries_pending',
    'webhookDeliveries',
    (db, { webhookDeliveries } = db.tables) =>
      and(inList(db, webhookDeliveries.webhookId, [id]), isPendingDelivery(webhookDeliveries)),
  ],
  [
    'work_orders_merged_by_implementer',
    'workOrders',
    ({ tables: { workOrders } }) => and(eq(workOrders.implementerId, id), isMergedWorkOrder(workOrders)),
  ],
  [
    'requests_one_pending',
    'requests',
    ({ tables: { requests } }) =>
      and(eq(requests.agentId, id), eq(requests.kind, 'tokens'), isPendingRequest(requests)),
  ],
];

forEachStore((store) => {
  describe('a query uses the index', () => {
    test.each(cases)('%s', async (index, table, where) => {
      const { query, tables } = store.db;
      const asked = query
        .select({ count: sql`count(*)` })
        .from(tables[table])
        .where(where(store.db));
      expect(await planOf(store.setting, asked.toSQL())).toContain(`${index} `);
    });

    test('runs_completed_by_agent', async () => {
      const { runs } = store.db.tables;
      const asked = store.db.query
        .select({ score: runs.score })
        .from(runs)
        .where(and(eq(runs.agentId, id), isCompletedRun(runs)))
        .orderBy(desc(runs.finishedAt))
        .limit(1);
      expect(await planOf(store.setting, asked.toSQL())).toContain('runs_completed_by_agent ');
    });
  });

  test('the condition with parameters would not use the index, so it is spelled out', async () => {
    const { tokenLots } = store.db.tables;
    const asked = store.db.query
      .select({ id: tokenLots.id })
      .from(tokenLots)
      .where(and(eq(tokenLots.agentId, id), sql`${tokenLots.remaining} > ${0}`));
    expect(await planOf(store.setting, asked.toSQL())).not.toContain('token_lots_live');
  });
});
