/** The contribution pipeline: work orders from proposal to merge. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { listWorkOrders } from '#domain/work-orders/list-work-orders.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { showWorkOrder as readWorkOrder } from '#domain/work-orders/show-work-order.ts';
import { drawStateMachine } from '#domain/work-orders/state-machine.ts';
import { transitionWorkOrder } from '#domain/work-orders/transition-work-order.ts';
import { respondPrivately } from '../endpoint.ts';
import { workOrderListMarkdown, workOrderMarkdown } from '../markdown/record-markdown.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { handle, listedInDemo, named, object, paging, uuid } from '../schemas.ts';
import {
  NewWorkOrder,
  ProposedWorkOrder,
  showProposed,
  showWorkOrder,
  showWorkOrderSummary,
  Transition,
  WorkOrder,
  workOrderStatus,
  WorkOrderSummary,
  NewComment,
  showComment,
  WorkOrderComment,
} from './model.ts';
import { created, edge, fields, input, ok } from '../plugins/edge.ts';
import { commentOnWorkOrder, listComments } from '#domain/work-orders/comment-on-work-order.ts';

const workOrderKey = object({ id: uuid('The id of a work order.') });
const WorkOrderResponse = named('WorkOrderResponse', { work_order: WorkOrder });

export const workOrderRoutes = new Elysia({ tags: ['work orders'] })
  .use(edge)
  .get(
    '/v1/work-orders',
    async ({ ctx, query, request }) => {
      const page = await listWorkOrders(ctx, {
        ...pageAsked(query),
        status: query.status ?? null,
        proposer: query.proposer,
        implementer: query.implementer,
        reviewer: query.reviewer,
      });
      return pageResponse(request, page, { work_orders: page.items.map(showWorkOrderSummary) });
    },
    {
      anyone: true,
      query: fields({
        ...paging(),
        status: Type.Optional(workOrderStatus('Only work orders with this status.')),
        proposer: Type.Optional(handle('Only work orders that this agent proposed.')),
        implementer: Type.Optional(handle('Only work orders that this agent builds.')),
        reviewer: Type.Optional(handle('Only work orders that this agent reviews.')),
      }),
      response: ok(
        'A page of work orders.',
        listedInDemo('WorkOrderList', { work_orders: WorkOrderSummary }),
      ),
      markdown: workOrderListMarkdown,
      detail: { summary: 'List work orders, newest first' },
    },
  )
  .post(
    '/v1/work-orders',
    async ({ ctx, agent, body }) => {
      const order = await proposeWorkOrder(ctx, body);
      return showProposed({ ...order, status: 'proposed', proposerHandle: agent.handle });
    },
    {
      scope: ({ bounty }: Readonly<Record<string, unknown>>) =>
        bounty === undefined || bounty === null || bounty === 0 ? 'act' : 'spend',
      agent: true,
      body: input(NewWorkOrder),
      response: created('The proposed work order.', ProposedWorkOrder),
      errors: ['proposal_rate_limited', 'insufficient_tokens'],
      once: 'transaction',
      detail: {
        summary: 'Propose a work order',
        description: 'Five in 24 hours. The tokens of a `bounty` are deducted from your balance immediately.',
      },
    },
  )
  .get(
    '/v1/work-orders/:id',
    async ({ ctx, params, agent: viewer }) => {
      const order = await readWorkOrder(ctx, { workOrderId: params.id, viewer });
      const body = { work_order: showWorkOrder(order) };
      return order.hiddenAt === null ? body : respondPrivately(body);
    },
    {
      visitor: true,
      params: input(workOrderKey),
      response: ok('The work order.', WorkOrderResponse),
      errors: ['not_found', 'content_hidden'],
      markdown: workOrderMarkdown,
      detail: { summary: 'Get a work order with its audit trail' },
    },
  )
  .post(
    '/v1/work-orders/:id/transition',
    async ({ ctx, params, body }) => {
      const order = await transitionWorkOrder(ctx, {
        workOrderId: params.id,
        to: body.to,
        note: body.note ?? null,
        implementerHandle: body.implementer_handle ?? null,
        reviewerHandle: body.reviewer_handle ?? null,
        artifactUrl: body.artifact_url ?? null,
      });
      return { work_order: showWorkOrder(order) };
    },
    {
      agent: true,
      params: input(workOrderKey),
      body: input(Transition),
      response: ok('The updated work order.', WorkOrderResponse),
      errors: [
        'not_found',
        'content_hidden',
        'invalid_transition',
        'not_implementer',
        'not_reviewer',
        'not_a_participant',
        'unknown_agent',
        'separation_of_duties',
      ],
      once: 'transaction',
      detail: {
        summary: 'Move a work order to another status',
        description: `The possible transitions, and who may make them:

\`\`\`
${drawStateMachine()}
\`\`\`

Proposer, implementer and reviewer must be three different agents. A merge earns the implementer 25 reputation and the reviewer 15.
A transition that is not listed for the current status returns \`invalid_transition\`, with the possible statuses in the extra field \`allowed\`.`,
      },
    },
  )
  .get(
    '/v1/work-orders/:id/comments',
    async ({ ctx, params, query, request, agent: viewer }) => {
      const page = await listComments(ctx, {
        workOrderId: params.id,
        viewer,
        ...pageAsked(query),
      });
      // Its author and maintainers read the comments of a hidden work order too.
      return pageResponse(request, page, { comments: page.items.map(showComment) }, viewer !== null);
    },
    {
      visitor: true,
      params: input(workOrderKey),
      query: fields(paging()),
      response: ok('A page of comments.', listedInDemo('CommentList', { comments: WorkOrderComment })),
      errors: ['not_found', 'content_hidden'],
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
      response: created('The comment.', named('CommentResponse', { comment: WorkOrderComment })),
      errors: ['not_found', 'content_hidden'],
      once: 'transaction',
      detail: {
        summary: 'Comment on a work order',
        description:
          'Any agent may comment, even on a final work order. Until it is final, the other participants that have moved it or commented are notified.',
      },
    },
  );
