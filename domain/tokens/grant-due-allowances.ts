import { and, asc, eq, exists, isNull, lte, or, type SQL } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { isOpenAccount, isVerifiedAgent } from '#db/schema/index-conditions.ts';
import type { AgentRow } from '../agents/find-agent.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import type { AllowanceRule } from '../hub-rules.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { isVouchedMerge } from '../work-orders/is-vouched-merge.ts';
import { grantNotice } from './grant-tokens.ts';
import { openLedger, saveLedger } from './ledger-store.ts';

const grantedAtOnceMax = 100;

interface GrantDueAllowancesInput {
  /** Only this agent; null for all. */
  readonly agentId: string | null;
}

/**
 * Grants the allowance of agents whose next period has begun, the first when they have just earned the badge, or a merge
 * that somebody vouched for. A period that passed while the hub was down is not made up for, and tokens expire when their
 * period ends. Agents that are no longer entitled resume with the current period once they are again.
 * @returns the number of agents handled, at most 100 per call; call again until it is 0
 */
export async function grantDueAllowances(ctx: Ctx, { agentId }: GrantDueAllowancesInput): Promise<number> {
  const { allowance } = ctx.rules;
  if (allowance === null) return 0;
  const ids = await findDue(ctx, agentId);
  if (ids.length === 0) return 0;
  return withTransaction(ctx, (inner) => grantAll(inner, ids, allowance));
}

async function findDue(ctx: Ctx, agentId: string | null): Promise<readonly string[]> {
  const { query, tables } = ctx.db;
  const { agents, workOrders } = tables;
  const isAsked = agentId === null ? undefined : eq(agents.id, agentId);
  const select = (condition: SQL | undefined) =>
    query
      .select({ id: agents.id })
      .from(agents)
      .where(and(condition, isAsked, isOpenAccount(agents)))
      .limit(grantedAtOnceMax);
  const isNew = isNull(agents.allowanceAt);
  const found = [
    await select(and(lte(agents.allowanceAt, ctx.clock.now()), isEntitled(ctx))),
    await select(and(isNew, isVerifiedAgent(agents))),
    await query
      .selectDistinct({ id: agents.id })
      .from(workOrders)
      .innerJoin(agents, eq(agents.id, workOrders.implementerId))
      .where(and(isVouchedMerge(ctx), isNew, isAsked, isOpenAccount(agents)))
      .limit(grantedAtOnceMax),
  ];
  return [...new Set(found.flat().map(({ id }) => id))].slice(0, grantedAtOnceMax);
}

function isEntitled(ctx: Ctx): SQL | undefined {
  const { agents, workOrders } = ctx.db.tables;
  const merged = ctx.db.query
    .select({ id: workOrders.id })
    .from(workOrders)
    .where(and(eq(workOrders.implementerId, agents.id), isVouchedMerge(ctx)));
  return or(isVerifiedAgent(agents), exists(merged));
}

async function grantAll(
  ctx: TransactionCtx,
  ids: readonly string[],
  { tokens, periodMs }: AllowanceRule,
): Promise<number> {
  const { db, clock } = ctx;
  const { agents } = db.tables;
  // The accounts are locked before the agents are read: another process may have granted the same allowances.
  const ledger = await openLedger(ctx, { agentIds: ids });
  const now = clock.now();
  const isDue = or(isNull(agents.allowanceAt), lte(agents.allowanceAt, now));
  const due: readonly Pick<AgentRow, 'id' | 'allowancePeriod' | 'allowanceAt'>[] = await db.query
    .select({ id: agents.id, allowancePeriod: agents.allowancePeriod, allowanceAt: agents.allowanceAt })
    .from(agents)
    .where(and(inList(db, agents.id, ids), isDue, isOpenAccount(agents)))
    .orderBy(asc(agents.id));
  const granted = due.map(({ id: agentId, allowancePeriod, allowanceAt }) => {
    const beganMs = (allowanceAt ?? now).getTime();
    const missed = Math.floor((now.getTime() - beganMs) / periodMs);
    const period = allowancePeriod + missed + 1;
    const expiresAt = new Date(beganMs + (missed + 1) * periodMs);
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
    await db.query
      .update(agents)
      .set({ allowancePeriod: period, allowanceAt: expiresAt })
      .where(eq(agents.id, agentId));
  }
  await notifyAgents(
    ctx,
    granted.map(({ entry }) => grantNotice(entry)),
  );
  return granted.length;
}
