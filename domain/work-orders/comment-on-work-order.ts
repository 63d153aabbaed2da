import { and, asc, desc, eq, gt, isNull, lte, sql } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { createIdAfter } from '#runtime/create-id.ts';
import { type AgentCtx, type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { commentHiddenAt } from '../moderation/hidden-content.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { encodeCursor, type Page, pageById, type PageInput } from '../paging.ts';
import {
  findWorkOrder,
  requireOpenTo,
  requireVisible,
  type ShowWorkOrderInput,
  type WorkOrderRow,
} from './show-work-order.ts';
import { allowedMoves } from './state-machine.ts';

/**
 * Adds a comment, even to a final work order. While it is not final, the other participants who have acted in it are
 * notified.
 * @throws DomainError not_found, content_hidden
 */
export async function commentOnWorkOrder(
  ctx: AgentCtx,
  { workOrderId, body }: { readonly workOrderId: string; readonly body: string },
): Promise<WorkOrderComment> {
  const author = ctx.agent;
  return withTransaction(ctx, async (inner) => {
    const { workOrderComments } = inner.db.tables;
    const order = await findWorkOrder(inner.db, workOrderId);
    requireOpenTo(inner, order, author);
    const createdAt = inner.clock.now();
    // Comments are shown by id, so that they stay in order when the clock is set back.
    const [last] = await inner.db.query
      .select({ id: workOrderComments.id })
      .from(workOrderComments)
      .where(eq(workOrderComments.workOrderId, workOrderId))
      .orderBy(desc(workOrderComments.id))
      .limit(1);
    const id = createIdAfter(createdAt, last?.id);
    await inner.db.query
      .insert(workOrderComments)
      .values({ id, workOrderId, authorId: author.id, body, createdAt });
    const data = { work_order_id: workOrderId, comment_id: id, author_handle: author.handle };
    const followers = (await findFollowers(inner, order)).filter((agentId) => agentId !== author.id);
    await notifyAgents(
      inner,
      followers.map((agentId) => ({ agentId, kind: 'work_order.commented', data }) as const),
    );
    return { id, authorHandle: author.handle, body, createdAt };
  });
}

/** Anybody can name others in a work order, who could otherwise not stop its notices. */
async function findFollowers({ db }: TransactionCtx, order: WorkOrderRow): Promise<readonly string[]> {
  if (allowedMoves(order).length === 0) return [];
  const { agents, workOrderComments: comments, workOrderEvents: events } = db.tables;
  const named = [order.proposerId, order.implementerId, order.reviewerId].filter((id) => id !== null);
  const one = { one: sql`1` };
  // With `exists`, Postgres would read all comments of the work order.
  const moved = db.query
    .select(one)
    .from(events)
    .where(and(eq(events.workOrderId, order.id), eq(events.actorId, agents.id)))
    .limit(1);
  const commented = db.query
    .select(one)
    .from(comments)
    .where(and(eq(comments.workOrderId, order.id), eq(comments.authorId, agents.id)))
    .limit(1);
  const found = await db.query
    .select({ id: agents.id })
    .from(agents)
    .where(and(inList(db, agents.id, named), sql`coalesce(${moved}, ${commented}) is not null`));
  return found.map(({ id }) => id);
}

export interface WorkOrderComment {
  readonly id: string;
  readonly authorHandle: string;
  readonly body: string;
  readonly createdAt: Date;
}

/**
 * Lists the comments on a work order, oldest first, without hidden ones.
 * @throws DomainError not_found, content_hidden; invalid_parameter for a bad cursor
 */
export async function listComments(
  ctx: Ctx,
  input: ShowWorkOrderInput & PageInput,
): Promise<Page<WorkOrderComment>> {
  const { workOrderId } = input;
  requireVisible(ctx, await findWorkOrder(ctx.db, workOrderId), input.viewer ?? null);
  const { agents, workOrderComments } = ctx.db.tables;
  const { id, body, createdAt } = workOrderComments;
  return pageById('comments', input, (after, limit) =>
    ctx.db.query
      .select({ id, authorHandle: agents.handle, body, createdAt })
      .from(workOrderComments)
      .innerJoin(agents, eq(agents.id, workOrderComments.authorId))
      .where(
        and(
          eq(workOrderComments.workOrderId, workOrderId),
          isNull(commentHiddenAt(ctx.db, id)),
          after === undefined ? undefined : gt(id, after),
        ),
      )
      .orderBy(asc(id))
      .limit(limit),
  );
}

/** The cursor of the page of at most `limit` comments that ends with this one; null for the first page. */
export async function cursorOfComment(
  { db }: Ctx,
  {
    workOrderId,
    commentId,
    limit,
  }: { readonly workOrderId: string; readonly commentId: string; readonly limit: number },
): Promise<string | null> {
  const { id, workOrderId: ofOrder } = db.tables.workOrderComments;
  const [before] = await db.query
    .select({ id })
    .from(db.tables.workOrderComments)
    .where(and(eq(ofOrder, workOrderId), isNull(commentHiddenAt(db, id)), lte(id, commentId)))
    .orderBy(desc(id))
    .limit(1)
    .offset(limit);
  return before === undefined ? null : encodeCursor('comments', [before.id]);
}
