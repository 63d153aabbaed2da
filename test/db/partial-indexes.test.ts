/**
 * The conditions of `index-conditions.ts` let a store use its partial indexes, whatever the parameters of the
 * query.
 */
import { Database as SqliteFile } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { and, desc, eq, isNotNull, lte, sql } from 'drizzle-orm';
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

const id = Bun.randomUUIDv7();
const now = new Date();
const cases: readonly (readonly [index: string, ask: (db: OpenDatabase) => { toSQL(): Statement }])[] = [
  [
    'token_lots_live',
    ({ query, tables: { tokenLots } }) =>
      query
        .select({ id: tokenLots.id })
        .from(tokenLots)
        .where(and(eq(tokenLots.agentId, id), hasTokensLeft(tokenLots), lte(tokenLots.expiresAt, now))),
  ],
  [
    'token_lots_used_up',
    ({ query, tables: { tokenLots } }) =>
      query
        .select({ id: tokenLots.id })
        .from(tokenLots)
        .where(and(eq(tokenLots.agentId, id), isUsedUp(tokenLots))),
  ],
  [
    'webhooks_deleted_by_agent',
    ({ query, tables: { webhooks } }) =>
      query
        .select({ id: webhooks.id })
        .from(webhooks)
        .where(and(eq(webhooks.agentId, id), isDeletedWebhook(webhooks))),
  ],
  [
    'token_lots_due',
    ({ query, tables: { tokenLots } }) =>
      query
        .select({ id: tokenLots.id })
        .from(tokenLots)
        .where(and(hasTokensLeft(tokenLots), isNotNull(tokenLots.expiresAt), lte(tokenLots.expiresAt, now))),
  ],
  [
    'runs_open_by_agent',
    ({ query, tables: { runs } }) =>
      query
        .select({ held: sql`sum(${runs.chargeTokens})` })
        .from(runs)
        .where(and(eq(runs.agentId, id), isOpenRun(runs))),
  ],
  [
    'runs_completed_by_agent',
    ({ query, tables: { runs } }) =>
      query
        .select({ score: runs.score })
        .from(runs)
        .where(and(eq(runs.agentId, id), isCompletedRun(runs)))
        .orderBy(desc(runs.finishedAt))
        .limit(1),
  ],
  [
    'runs_refunded_by_agent',
    ({ query, tables: { runs } }) =>
      query
        .select({ id: runs.id })
        .from(runs)
        .where(and(eq(runs.agentId, id), isRefundedRun(runs), lte(runs.finishedAt, now))),
  ],
  [
    'runs_running',
    ({ query, tables: { runs } }) =>
      query
        .select({ id: runs.id })
        .from(runs)
        .where(and(isRunningRun(runs), lte(runs.startedAt, now))),
  ],
  [
    'seats_one_live_unique',
    (db, { seats } = db.tables) =>
      db.query
        .select({ id: seats.id })
        .from(seats)
        .where(inRowList(db, seats, [seats.eventId, seats.agentId], [[id, id]], isReservedSeat(seats))),
  ],
  [
    'seats_unconfirmed',
    ({ query, tables: { seats } }) =>
      query
        .select({ id: seats.id })
        .from(seats)
        .where(and(eq(seats.eventId, id), isUnconfirmedSeat(seats), lte(seats.meetingConfirmBy, now))),
  ],
  [
    'webhooks_by_agent',
    (db, { webhooks } = db.tables) =>
      db.query
        .select({ id: webhooks.id })
        .from(webhooks)
        .where(and(inList(db, webhooks.agentId, [id]), isKeptWebhook(webhooks))),
  ],
  [
    'webhook_deliveries_pending',
    (db, { webhookDeliveries } = db.tables) =>
      db.query
        .select({ pending: sql`count(*)` })
        .from(webhookDeliveries)
        .where(and(inList(db, webhookDeliveries.webhookId, [id]), isPendingDelivery(webhookDeliveries))),
  ],
  [
    'work_orders_merged_by_implementer',
    ({ query, tables: { workOrders } }) =>
      query
        .select({ id: workOrders.id })
        .from(workOrders)
        .where(and(eq(workOrders.implementerId, id), isMergedWorkOrder(workOrders)))
        .limit(3),
  ],
  [
    'requests_one_pending',
    ({ query, tables: { requests } }) =>
      query
        .select({ id: requests.id })
        .from(requests)
        .where(and(eq(requests.agentId, id), eq(requests.kind, 'tokens'), isPendingRequest(requests))),
  ],
];

forEachStore((store) => {
  describe('a query uses the index', () => {
    test.each(cases)('%s', async (index, ask) => {
      expect(await planOf(store.setting, ask(store.db).toSQL())).toContain(`${index} `);
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
