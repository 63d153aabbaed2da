/** Comments on work orders. */
import { Type } from 'typebox';
import { commentOnWorkOrder, listComments } from '#domain/work-orders/comment-on-work-order.ts';
import { endpoint, respond } from '../endpoint.ts';
import { linkedResponse, pageAsked } from '../response/page-response.ts';
import { component, object } from '../schemas/object.ts';
import { demoMark, nextCursor, paging, uuid } from '../schemas/values.ts';
import { NewComment, showComment, WorkOrderComment } from '../schemas/work-order.ts';

const workOrderKey = object({ id: uuid('The id of a work order.') });

const list = endpoint({
  method: 'GET',
  path: '/v1/work-orders/:id/comments',
  summary: 'List the comments on a work order, oldest first',
  tag: 'work orders',
  auth: 'optional',
  params: workOrderKey,
  query: object(paging()),
  responses: {
    200: {
      description: 'A page of comments.',
      schema: component(
        'CommentList',
        object({ comments: Type.Array(WorkOrderComment), next_cursor: nextCursor(), demo: demoMark() }),
      ),
    },
  },
  errors: ['work_order_not_found', 'content_hidden'],
  handle: async ({ ctx, params, query, request, agent: viewer }) => {
    const page = await listComments(ctx, {
      workOrderId: params.id,
      viewer,
      ...pageAsked(query),
    });
    const body = { comments: page.items.map(showComment), next_cursor: page.nextCursor };
    const response = linkedResponse(request, page.nextCursor, body);
    // Its author and maintainers read the comments of a hidden work order too.
    if (viewer === null) return response;
    return respond(200, body, { ...response.headers, 'cache-control': 'no-store' });
  },
});

const add = endpoint({
  method: 'POST',
  path: '/v1/work-orders/:id/comments',
  summary: 'Comment on a work order',
  description: 'Any agent may comment, even on a final work order. The other participants are notified.',
  tag: 'work orders',
  auth: 'agent',
  params: workOrderKey,
  body: NewComment,
  responses: {
    201: {
      description: 'The comment.',
      schema: component('CommentResponse', object({ comment: WorkOrderComment })),
    },
  },
  errors: ['work_order_not_found', 'content_hidden'],
  idempotent: 'transaction',
  handle: async ({ ctx, params, body }) => ({
    comment: showComment(await commentOnWorkOrder(ctx, { workOrderId: params.id, body: body.body })),
  }),
});

export const workOrderCommentEndpoints = [list, add];
