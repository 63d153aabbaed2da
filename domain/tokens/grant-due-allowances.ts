import { and, asc, eq, exists, isNotNull, lte, not, or } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { lockRows } from '#db/transaction.ts';
import { isOpenAccount, isVerifiedAgent } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import type { AllowanceRule } from '../hub-rules.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { isVouchedMerge } from '../work-orders/is-vouched-merge.ts';
import { grantNotice } from './grant-tokens.ts';
import { openLedger, saveLedger } from './ledger-store.ts';

type AllowanceRow = Tables['allowances']['$inferSelect'];

const grantedAtOnceMax = 100;

interface GrantDueAllowancesInput {
  /** Only this agent; null for all. */
  readonly agentId: string | null;
}

/**
 * Grants the allowance of agents whose next period has begun. A period that passed while the hub was down is not made
 * up for, and tokens expire when their period ends.
 * @returns the number of agents handled, at most 100 per call; call again until it is 0
 */
export async function grantDueAllowances(ctx: Ctx, { agentId }: GrantDueAllowancesInput): Promise<number> {
  const { allowance } = ctx.rules;
  if (allowance === null) return 0;
  const enrolled = await enrolEntitled(ctx, { agentId, limit: grantedAtOnceMax });
  if (enrolled === 0 && !(await isAnyDue(ctx, agentId))) return 0;
  return withTransaction(ctx, async (inner) => {
    const due = await lockRows(inner.db, selectDue(inner, agentId).limit(grantedAtOnceMax));
    if (due.length > 0) await grantAll(inner, due, allowance);
    return due.length;
  });
}

async function isAnyDue(ctx: Ctx, agentId: string | null): Promise<boolean> {
  return (await selectDue(ctx, agentId).limit(1)).length > 0;
}

/**
 * Agents that are no longer entitled keep their row. If they become entitled again, they resume with the current
 * period.
 */
function selectDue(ctx: Ctx, agentId: string | null) {
  const { db, clock } = ctx;
  const { agents, allowances, workOrders } = db.tables;
  const merged = db.query
    .select({ id: workOrders.id })
    .from(workOrders)
    .where(and(eq(workOrders.implementerId, allowances.agentId), isVouchedMerge(ctx)));
  const entitled = db.query
    .select({ id: agents.id })
    .from(agents)
    .where(
      and(
        eq(agents.id, allowances.agentId),
        isOpenAccount(agents),
        or(isVerifiedAgent(agents), exists(merged)),
      ),
    );
  return db.query
    .select()
    .from(allowances)
    .where(
      and(
        lte(allowances.nextAt, clock.now()),
        agentId === null ? undefined : eq(allowances.agentId, agentId),
        exists(entitled),
      ),
    )
    .orderBy(asc(allowances.agentId));
}

async function grantAll(
  ctx: TransactionCtx,
  due: readonly AllowanceRow[],
  { tokens, periodMs }: AllowanceRule,
): Promise<void> {
  const { allowances } = ctx.db.tables;
  const now = ctx.clock.now().getTime();
  const ledger = await openLedger(ctx, { agentIds: due.map(({ agentId }) => agentId) });
  const granted = due.map(({ agentId, lastPeriod, nextAt }) => {
    const missed = Math.floor((now - nextAt.getTime()) / periodMs);
    const period = lastPeriod + missed + 1;
    const expiresAt = new Date(nextAt.getTime() + (missed + 1) * periodMs);
    const entry = ledger.grant({
      agentId,
      amount: tokens,
      reason: 'Allowance',
      reference: `allowance:${agentId}:${period}`,
      source: 'allowance',
      expiresAt,
    });
    return { agentId, period, expiresAt, entry };
  });
  await saveLedger(ctx, ledger);
  for (const { agentId, period, expiresAt } of granted) {
    await ctx.db.query
      .update(allowances)
      .set({ lastPeriod: period, nextAt: expiresAt })
      .where(eq(allowances.agentId, agentId));
  }
  await notifyAgents(
    ctx,
    granted.map(({ entry }) => grantNotice(entry)),
  );
}

interface EnrolEntitledInput {
  /** Only this agent; null for all. */
  readonly agentId: string | null;
  readonly limit: number;
}

/**
 * Starts the allowance of agents that have just earned the badge, or a merge that somebody vouched for.
 * @returns their number; their first period begins now
 */
async function enrolEntitled(ctx: Ctx, { agentId, limit }: EnrolEntitledInput): Promise<number> {
  const { agents, allowances, workOrders } = ctx.db.tables;
  const isNew = (column: PgColumn) =>
    and(
      not(
        exists(
          ctx.db.query
            .select({ id: allowances.agentId })
            .from(allowances)
            .where(eq(allowances.agentId, column)),
        ),
      ),
      agentId === null ? undefined : eq(column, agentId),
    );
  const verified = await ctx.db.query
    .select({ id: agents.id })
    .from(agents)
    .where(and(isVerifiedAgent(agents), isNew(agents.id)))
    .limit(limit);
  const merged = await ctx.db.query
    .selectDistinct({ id: workOrders.implementerId })
    .from(workOrders)
    .where(and(isVouchedMerge(ctx), isNotNull(workOrders.implementerId), isNew(workOrders.implementerId)))
    .limit(limit);
  const ids = new Set([...verified, ...merged].flatMap(({ id }) => (id === null ? [] : [id])));
  if (ids.size === 0) return 0;
  const nextAt = ctx.clock.now();
  await withTransaction(ctx, ({ db }) =>
    db.query
      .insert(allowances)
      .values(
        [...ids]
          .toSorted((one, other) => (one < other ? -1 : 1))
          .map((id) => ({ agentId: id, lastPeriod: 0, nextAt })),
      )
      .onConflictDoNothing(),
  );
  return ids.size;
}
