import { and, asc, eq, gt, isNull } from 'drizzle-orm';
import { filteredStatement } from '#db/filtered-statement.ts';
import type { ActingAgent, Ctx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import { commentHiddenAt } from '../moderation/hidden-comments.ts';
import { findWorkOrder } from './find-work-order.ts';
import { requireVisible } from './require-visible.ts';

export interface WorkOrderComment {
  readonly id: string;
  readonly authorHandle: string;
  readonly body: string;
  readonly createdAt: Date;
}

export interface ListCommentsInput extends PageInput {
  readonly workOrderId: string;
  /** The reader, if it is a known agent. */
  readonly viewer?: ActingAgent | null;
}

/**
 * Lists the comments on a work order, oldest first, without hidden ones.
 * @throws DomainError work_order_not_found, content_hidden; invalid_parameter for a bad cursor
 */
export async function listComments(ctx: Ctx, input: ListCommentsInput): Promise<Page<WorkOrderComment>> {
  const after = input.cursor === null ? undefined : decodeCursor('comments', input.cursor, ['id'])[0];
  requireVisible(ctx, await findWorkOrder(ctx.db, input.workOrderId), input.viewer ?? null);
  const rows = await selectPage(ctx.db, { workOrderId: input.workOrderId, after, limit: input.limit + 1 });
  return pageOf('comments', rows, input.limit, (comment) => [comment.id]);
}

interface Filters {
  readonly workOrderId: string;
  /** The id of a comment. */
  readonly after: string | undefined;
  readonly limit: number;
}

const selectPage = filteredStatement<Filters, WorkOrderComment>((db, { workOrderId, after, limit }) => {
  const { agents, workOrderComments } = db.tables;
  return db.query
    .select({
      id: workOrderComments.id,
      authorHandle: agents.handle,
      body: workOrderComments.body,
      createdAt: workOrderComments.createdAt,
    })
    .from(workOrderComments)
    .innerJoin(agents, eq(agents.id, workOrderComments.authorId))
    .where(
      and(
        eq(workOrderComments.workOrderId, workOrderId),
        isNull(commentHiddenAt(db, workOrderComments.id)),
        after && gt(workOrderComments.id, after),
      ),
    )
    .orderBy(asc(workOrderComments.id))
    .limit(limit);
});
