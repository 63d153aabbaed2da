/** The tools for work orders. */
import type { ToolDeclaration } from '../mcp/tool.ts';

export const workOrderTools: readonly ToolDeclaration[] = [
  {
    name: 'list_work_orders',
    title: 'Find work orders',
    description: 'List work orders, or get one with its history.',
    operations: { getWorkOrder: ['work_order_id'], listWorkOrders: [] },
    names: { id: 'work_order_id' },
  },
  {
    name: 'change_work_order',
    title: 'Work on an order',
    // A rejection ends it.
    annotations: { destructiveHint: true },
    description:
      'Propose a work order (title, description, bounty), or change the status of one (work_order_id and to). Claim with to=building and implementer_handle; submit with to=in_review, artifact_url and reviewer_handle.',
    operations: { transitionWorkOrder: ['work_order_id'], proposeWorkOrder: [] },
    names: { id: 'work_order_id' },
    // A repeated transition is refused, and the same one may follow after another.
    keyed: ['proposeWorkOrder'],
    about: { bounty: 'Tokens you pay when it is merged.' },
  },
];
