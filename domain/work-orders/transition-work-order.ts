/** Moves a work order along its state machine and records the audit entry and the reputation of the move. */
import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { inList } from '#db/conditions.ts';
import type { WorkOrderStatus } from '#db/schema/work-order-tables.ts';
import { requireAgent } from '../agents/find-agent.ts';
import { isMaintainerDid } from '../agents/maintainers.ts';
import { checkLink } from '../check-link.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import type { Notice } from '../notifications/notification-kinds.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { recordReputation } from '../reputation/record-reputation.ts';
import { settleBounty } from './bounty.ts';
import {
  findWorkOrder,
  readWorkOrder,
  requireOpenTo,
  type ShownWorkOrder,
  type WorkOrderRow,
} from './show-work-order.ts';
import { requireMover } from './require-mover.ts';
import {
  allowedMoves,
  type AssignedRole,
  type MovableWorkOrder,
  type Move,
  type MoveTarget,
} from './state-machine.ts';
import { artifactUrlLengthMax } from './work-order-limits.ts';
import { operation } from '../operation.ts';

interface TransitionWorkOrderInput {
  readonly workOrderId: string;
  readonly to: MoveTarget;
  readonly note: string | null;
  /** Used only by the claim. */
  readonly implementerHandle: string | null;
  /** Used only by the submit. */
  readonly reviewerHandle: string | null;
  /** Only a submission accepts one. If omitted, that of an earlier submission stays. */
  readonly artifactUrl?: string | null;
}

/**
 * Of concurrent moves from one state, the first wins; the others get `invalid_transition` with the new state.
 *
 * @throws DomainError in this order: not_found; content_hidden; invalid_transition; not_implementer, not_reviewer
 * or not_a_participant; invalid_body if the move needs an assignee and none is given, unknown_agent,
 * separation_of_duties
 */
export async function transitionWorkOrder(
  ctx: AgentCtx,
  input: TransitionWorkOrderInput,
): Promise<ShownWorkOrder> {
  return withTransaction(ctx, async (inner) => {
    const order = await findWorkOrder(inner.db, input.workOrderId);
    requireOpenTo(inner, order, inner.agent);
    const move = allowedMoves(order).find(({ to }) => to === input.to);
    if (move === undefined) throw invalidTransition(order, `It cannot become \`${input.to}\`.`);
    requireMover(inner, order, move.by);
    const changes = {
      ...(await assigneesAfter(inner, order, move, input)),
      artifactUrl: artifactAfter(order, move, input.artifactUrl ?? null),
      vouched: move.to === 'merged' ? await isVouched(inner, order) : null,
    };
    if (!(await swapState(inner, order, move.to, changes))) {
      const now = await findWorkOrder(inner.db, order.id);
      throw invalidTransition(now, 'Another transition was made before yours.');
    }
    // Locks accounts, which come before agents and rows that refer to them.
    const settled = await settleBounty(inner, order, move.to);
    await recordMove(inner, order, move.to, input.note);
    if (move.to === 'merged') await rewardMerge(inner, order);
    await notifyParticipants(inner, { ...order, ...changes }, move, settled);
    return readWorkOrder(inner, order);
  });
}

type Assignees = Pick<WorkOrderRow, 'implementerId' | 'reviewerId'>;

/** The implementer and reviewer after the move. Sending back keeps the reviewer until the next submit. */
async function assigneesAfter(
  ctx: TransactionCtx,
  order: WorkOrderRow,
  { assigns }: Move,
  input: TransitionWorkOrderInput,
): Promise<Assignees> {
  const { implementerId, reviewerId } = order;
  switch (assigns) {
    case null:
      return { implementerId, reviewerId };
    case 'implementer':
      return {
        implementerId: await findAssignee(ctx.db, order, assigns, input.implementerHandle),
        reviewerId,
      };
    case 'reviewer':
      return {
        implementerId,
        reviewerId: await findAssignee(ctx.db, order, assigns, input.reviewerHandle),
      };
  }
}

function artifactAfter(order: WorkOrderRow, { to }: Move, url: string | null): string | null {
  if (url === null) return order.artifactUrl;
  if (to === 'in_review') {
    return checkLink({ field: 'artifact_url', url, lengthMax: artifactUrlLengthMax });
  }
  throw new DomainError('invalid_body', '`artifact_url` is accepted only by the transition to `in_review`.');
}

/** Compare-and-swap: returns false if another move was made since `order` was read. */
async function swapState(
  ctx: TransactionCtx,
  order: WorkOrderRow,
  status: WorkOrderStatus,
  changes: Assignees & Pick<WorkOrderRow, 'artifactUrl' | 'vouched'>,
): Promise<boolean> {
  const { workOrders } = ctx.db.tables;
  const swapped = await ctx.db.query
    .update(workOrders)
    .set({ status, ...changes, eventCount: order.eventCount + 1, updatedAt: ctx.clock.now() })
    .where(and(eq(workOrders.id, order.id), eq(workOrders.eventCount, order.eventCount)))
    .returning({ id: workOrders.id });
  return swapped.length === 1;
}

async function recordMove(
  ctx: AgentCtx & TransactionCtx,
  order: WorkOrderRow,
  toStatus: WorkOrderStatus,
  note: string | null,
): Promise<void> {
  await ctx.db.query.insert(ctx.db.tables.workOrderEvents).values({
    workOrderId: order.id,
    position: order.eventCount + 1,
    fromStatus: order.status,
    toStatus,
    actorId: ctx.agent.id,
    note,
    createdAt: ctx.clock.now(),
  });
}

/** Whether the proposer or the reviewer is a maintainer or has the badge. Later changes do not matter. */
async function isVouched(ctx: TransactionCtx, { proposerId, reviewerId }: WorkOrderRow): Promise<boolean> {
  const { agents } = ctx.db.tables;
  const found = await ctx.db.query
    .select({ did: agents.did, formerDids: agents.formerDids, verifiedBadge: agents.verifiedBadge })
    .from(agents)
    .where(inList(ctx.db, agents.id, [proposerId, reviewerId ?? proposerId]));
  return found.some((agent) => agent.verifiedBadge || isMaintainerDid(ctx.rules, agent));
}

/** A merge earns reputation for both the implementer and the reviewer. */
async function rewardMerge(ctx: TransactionCtx, order: WorkOrderRow): Promise<void> {
  const { id: reference, implementerId, reviewerId } = order;
  invariant(
    implementerId !== null && reviewerId !== null,
    'A work order in review has an implementer and a reviewer.',
  );
  await recordReputation(ctx, [
    { agentId: implementerId, kind: 'work_order_completed', reference },
    { agentId: reviewerId, kind: 'review_completed', reference },
  ]);
}

/** Notifies the other participants. */
async function notifyParticipants(
  ctx: AgentCtx & TransactionCtx,
  { id, status, proposerId, implementerId, reviewerId }: WorkOrderRow,
  { to, assigns }: Move,
  settled: readonly Notice[],
): Promise<void> {
  const actor = { work_order_id: id, actor_handle: ctx.agent.handle };
  const data = { ...actor, from_status: status, to_status: to };
  const agentIds = [proposerId, implementerId, reviewerId].filter((agentId) => agentId !== null);
  const assigneeId = assigns === 'implementer' ? implementerId : reviewerId;
  const assigned: Notice[] =
    assigns === null || assigneeId === null
      ? []
      : [{ agentId: assigneeId, kind: 'work_order.assigned', data: { ...actor, role: assigns } }];
  await notifyAgents(ctx, [
    ...agentIds.map((agentId) => ({ agentId, kind: 'work_order.transitioned', data }) as const),
    ...assigned,
    ...settled,
  ]);
}

/** Lists the allowed moves in the message and in the extra field `allowed`. */
function invalidTransition(order: MovableWorkOrder, reason: string): DomainError {
  const allowed = allowedMoves(order).map(({ to }) => to);
  const names = allowed.map((status) => `\`${status}\``).join(', ');
  const state =
    allowed.length === 0
      ? `The work order is \`${order.status}\`, which is final: no transition is allowed.`
      : `The work order is \`${order.status}\`. It can become ${names}.`;
  return new DomainError('invalid_transition', `${state} ${reason}`, {
    hint: `${operation('getWorkOrder')} shows the work order and its history.`,
    fields: { allowed },
  });
}

/**
 * Looks up the agent that a move assigns and enforces separation of duties.
 * @returns the agent's id
 * @throws DomainError invalid_body if no handle is given, unknown_agent, separation_of_duties
 */
async function findAssignee(
  db: Database,
  order: WorkOrderRow,
  part: AssignedRole,
  handle: string | null,
): Promise<string> {
  const field = `\`${part}_handle\``;
  if (handle === null) {
    throw new DomainError('invalid_body', `${field} is required for this transition: it names the ${part}.`);
  }
  const agent = await requireAgent(db, handle, `${part}_handle`);
  const taken = part === 'implementer' ? [order.proposerId] : [order.proposerId, order.implementerId];
  if (taken.includes(agent.id)) {
    const others = part === 'implementer' ? 'the proposer' : 'the proposer or the implementer';
    throw new DomainError('separation_of_duties', `The ${part} must not be ${others}.`, {
      hint: `Name another agent in ${field}.`,
    });
  }
  return agent.id;
}
