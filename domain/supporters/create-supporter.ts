/** A maintainer makes an agent a supporter or changes the tier and end of its support. */
import { and, asc, eq, inArray, isNotNull, isNull, lte } from 'drizzle-orm';
import { lockReferencedRows } from '#db/transaction.ts';
import { createId } from '#runtime/create-id.ts';
import { holdAgentByHandle } from '../agents/find-agent.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import { type AgentCtx, type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { requireFuture } from '../require-future.ts';
import { findActiveSupport, type SupportRow } from './find-support.ts';
import { operation } from '../operation.ts';

type SupportTerms = Pick<SupportRow, 'tier' | 'endsAt'>;

interface CreateSupporterInput extends SupportTerms {
  readonly handle: string;
}

/**
 * An active supporter keeps its `since`. The tier also becomes the agent's `sponsor_tier`.
 * @throws DomainError maintainer_only; invalid_body for an end in the past; unknown_agent
 */
export async function createSupporter(ctx: AgentCtx, input: CreateSupporterInput): Promise<SupportRow> {
  requireMaintainer(ctx);
  const { tier, endsAt } = input;
  if (endsAt !== null) requireFuture('ends_at', endsAt, ctx.clock.now());
  return withTransaction(ctx, async (inner) => {
    const { agents } = inner.db.tables;
    // The lock serialises concurrent maintainers.
    const agent = await holdAgentByHandle(inner, input.handle, 'handle');
    const support = await renewOrStart(inner, agent.id, { tier, endsAt });
    await inner.db.query.update(agents).set({ sponsorTier: tier }).where(eq(agents.id, agent.id));
    return support;
  });
}

async function renewOrStart(ctx: TransactionCtx, agentId: string, terms: SupportTerms): Promise<SupportRow> {
  const { supporters } = ctx.db.tables;
  const now = ctx.clock.now();
  const active = await findActiveSupport(ctx.db, agentId, now);
  if (active !== null) {
    await ctx.db.query
      .update(supporters)
      .set(terms)
      .where(and(eq(supporters.id, active.id), isNull(supporters.endedAt)));
    return { ...active, ...terms };
  }
  // Close support that has lapsed but was not swept yet.
  await closeSupport(ctx, { agentId, onlyLapsed: true });
  const started = { id: createId(now), agentId, ...terms, since: now, endedAt: null };
  await ctx.db.query.insert(supporters).values(started);
  return started;
}

/**
 * A maintainer ends an agent's support.
 * @throws DomainError maintainer_only, unknown_handle, not_found
 */
export async function endSupporter(ctx: AgentCtx, { handle }: { readonly handle: string }): Promise<void> {
  requireMaintainer(ctx);
  await withTransaction(ctx, async (inner) => {
    const agent = await holdAgentByHandle(inner, handle);
    const active = await findActiveSupport(inner.db, agent.id, inner.clock.now());
    if (active === null) {
      throw new DomainError('not_found', `\`${handle}\` is not a supporter.`, {
        hint: `${operation('listSupporters')} lists the supporters.`,
      });
    }
    await closeSupport(inner, { agentId: agent.id, onlyLapsed: false });
  });
}

/** Limit per call. */
const lapsedEndedAtOnceMax = 100;

/**
 * Ends lapsed support so that profiles no longer show its tier. The sweeper calls this.
 * @returns the number of lapsed supporters found, at most 100 per call; call again until it is 0
 */
export async function endLapsedSupporters(ctx: Ctx): Promise<number> {
  return withTransaction(ctx, async (inner) => {
    const { agents, supporters } = inner.db.tables;
    const due = await inner.db.query
      .select({ agentId: supporters.agentId })
      .from(supporters)
      .where(
        and(
          isNull(supporters.endedAt),
          isNotNull(supporters.endsAt),
          lte(supporters.endsAt, inner.clock.now()),
        ),
      )
      .orderBy(asc(supporters.endsAt))
      .limit(lapsedEndedAtOnceMax);
    if (due.length === 0) return 0;
    const agentIds = due.map(({ agentId }) => agentId);
    const locked = await lockReferencedRows(
      inner.db,
      inner.db.query
        .select({ id: agents.id })
        .from(agents)
        .where(inArray(agents.id, agentIds))
        .orderBy(asc(agents.id)),
    );
    // Support extended before its row was locked stays open.
    for (const { id } of locked) await closeSupport(inner, { agentId: id, onlyLapsed: true });
    return due.length;
  });
}

interface CloseSupportInput {
  readonly agentId: string;
  /** If true, only support whose agreed end has passed is closed. */
  readonly onlyLapsed: boolean;
}

/**
 * Ends an agent's support: closes its open row and clears the tier on its profile.
 * The caller must hold the lock on the agent's row, so that nobody starts or renews its support meanwhile.
 */
export async function closeSupport(
  ctx: TransactionCtx,
  { agentId, onlyLapsed }: CloseSupportInput,
): Promise<void> {
  const { agents, supporters } = ctx.db.tables;
  const now = ctx.clock.now();
  const closed = await ctx.db.query
    .update(supporters)
    .set({ endedAt: now })
    .where(
      and(
        eq(supporters.agentId, agentId),
        isNull(supporters.endedAt),
        onlyLapsed ? lte(supporters.endsAt, now) : undefined,
      ),
    )
    .returning({ id: supporters.id });
  if (closed.length === 0) return;
  await ctx.db.query.update(agents).set({ sponsorTier: 'none' }).where(eq(agents.id, agentId));
}
