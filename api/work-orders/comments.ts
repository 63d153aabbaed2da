/** Comments on work orders. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { commentOnWorkOrder, listComments } from '#domain/work-orders/comment-on-work-order.ts';
import { respond } from '../endpoint.ts';
import { linkedResponse, pageAsked } from '../response/page-response.ts';
import { component, object } from '../schemas/object.ts';
import { demoMark, nextCursor, paging, uuid } from '../schemas/values.ts';
import { NewComment, showComment, WorkOrderComment } from './model.ts';
import { edge, input, replies } from '../plugins/edge.ts';

const workOrderKey = object({ id: uuid('The id of a work order.') });

export const workOrderCommentRoutes = new Elysia({ tags: ['work orders'] })
  .use(edge)
  .get(
    '/v1/work-orders/:id/comments',
    async ({ ctx, params, query, request, agent: viewer }) => {
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
    {
      visitor: true,
      params: input(workOrderKey),
      query: input(object(paging())),
      response: replies({
        200: {
          description: 'A page of comments.',
          schema: component(
            'CommentList',
            object({ comments: Type.Array(WorkOrderComment), next_cursor: nextCursor(), demo: demoMark() }),
          ),
        },
      }),
      errors: ['work_order_not_found', 'content_hidden'],
      detail: { summary: 'List the comments on a work order, oldest first' },
    },
  )
  .post(
    '/v1/work-orders/:id/comments',
    async ({ ctx, params, body }) => ({
      comment: showComment(await commentOnWorkOrder(ctx, { workOrderId: params.id, body: body.body })),
    }),
    {
      agent: true,
      params: input(workOrderKey),
      body: input(NewComment),
      response: replies({
        201: {
          description: 'The comment.',
          schema: component('CommentResponse', object({ comment: WorkOrderComment })),
        },
      }),
      errors: ['work_order_not_found', 'content_hidden'],
      once: 'transaction',
      detail: {
        summary: 'Comment on a work order',
        description:
          'Any agent may comment, even on a final work order. The other participants are notified.',
      },
    },
  );
