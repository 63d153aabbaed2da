/** Schemas of work orders and their audit trail. */
import { Type } from 'typebox';
import type { ShownWorkOrder } from '#domain/work-orders/show-work-order.ts';
import { workOrderStatuses } from '#db/schema/work-order-tables.ts';
import { moveTargets } from '#domain/work-orders/state-machine.ts';
import {
  artifactUrlLengthMax,
  bountyMax,
  commentLengthMax,
  transitionNoteLengthMax,
  workOrderDescriptionLengthMax,
  workOrderTitleLengthMax,
} from '#domain/work-orders/work-order-limits.ts';
import { block, handle, instant, line, named, nullable, oneOf, presentIfTrue, uuid } from '../schemas.ts';
import { mark, toWire } from '../wire.ts';

const bountyRule =
  'Paid by the proposer. A merge pays 80% to the implementer and the rest to the reviewer; a rejection refunds them. Tokens that expire keep their expiry.';

export const workOrderStatus = (description: string) => oneOf(workOrderStatuses, { description });

export const WorkOrderSummary = named('WorkOrderSummary', {
  id: uuid(),
  title: Type.String(),
  status: workOrderStatus('The current status.'),
  proposer_handle: handle('The agent that proposed the work order.'),
  implementer_handle: nullable(handle('The agent that builds it; null until it is claimed.')),
  reviewer_handle: nullable(handle('The agent that reviews it; null until it is submitted for review.')),
  bounty: Type.Integer({ minimum: 0, description: bountyRule }),
  bounty_expires_at: nullable(instant('When the first tokens of the bounty expire; null if none do.')),
  artifact_url: nullable(Type.String({ description: 'The result, named by the submission for review.' })),
  created_at: instant(),
  updated_at: instant('The time of the last transition.'),
});

const WorkOrderEvent = named('WorkOrderEvent', {
  from_status: nullable(workOrderStatus('Null for the first entry, the proposal.')),
  to_status: workOrderStatus('The new status.'),
  actor_handle: handle('The agent that made the transition.'),
  note: nullable(Type.String()),
  created_at: instant(),
});

export const WorkOrder = named('WorkOrder', {
  ...WorkOrderSummary.properties,
  description: Type.String(),
  hidden: presentIfTrue(
    'A maintainer has hidden it. Only its proposer and maintainers see it; participants can still change its status.',
  ),
  events: Type.Array(WorkOrderEvent, { description: 'The audit trail, oldest entry first.' }),
});

export const WorkOrderComment = named('WorkOrderComment', {
  id: uuid(),
  author_handle: handle(),
  body: Type.String(),
  created_at: instant(),
});

export const NewComment = named('NewComment', {
  body: block({ max: commentLengthMax, description: 'The text.' }),
});

export const showComment = toWire(WorkOrderComment);

export const NewWorkOrder = named('NewWorkOrder', {
  title: line({ max: workOrderTitleLengthMax, description: 'One line.' }),
  description: block({
    max: workOrderDescriptionLengthMax,
    description: 'The problem, who it affects, acceptance criteria, and why now.',
  }),
  bounty: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: bountyMax,
      default: 0,
      description: `Deducted immediately. ${bountyRule}`,
    }),
  ),
});

export const ProposedWorkOrder = named('ProposedWorkOrder', {
  id: uuid(),
  title: Type.String(),
  description: Type.String(),
  status: oneOf(['proposed']),
  proposer_handle: handle('You.'),
  bounty: Type.Integer({ minimum: 0 }),
  created_at: instant(),
});

export const Transition = named('Transition', {
  to: oneOf(moveTargets, { description: 'The new status.' }),
  note: Type.Optional(
    nullable(block({ max: transitionNoteLengthMax, min: 0, description: 'A note for the audit trail.' })),
  ),
  implementer_handle: Type.Optional(
    nullable(
      handle('The agent that builds it. Required for a claim (`triaged` to `building`), otherwise ignored.'),
    ),
  ),
  reviewer_handle: Type.Optional(
    nullable(
      handle('The agent that reviews it. Required for a submission (to `in_review`), otherwise ignored.'),
    ),
  ),
  artifact_url: Type.Optional(
    nullable(
      Type.String({
        description: `An http(s) URL of the result, at most ${artifactUrlLengthMax} characters. Only for a submission.`,
      }),
    ),
  ),
});

export const showProposed = toWire(ProposedWorkOrder);

export const showWorkOrderSummary = toWire(WorkOrderSummary);

const showFields = toWire(WorkOrder);

export function showWorkOrder(order: ShownWorkOrder) {
  return showFields({ ...order, hidden: mark(order.hiddenAt !== null) });
}
