/**
 * The state machine of work orders: which moves exist, who may make them and whom they assign. The checks,
 * the error that lists the allowed moves, and the diagram in the documentation are all derived from this
 * table.
 */
import { type WorkOrderStatus, workOrderStatuses } from '#db/schema/work-order-tables.ts';
import { eventsBeforeLastReview } from './work-order-limits.ts';

/**
 * Who may make a move.
 * - `agent`: any agent.
 * - `implementer`, `reviewer`: the agent assigned to that role.
 * - `participant`: the proposer, the implementer, the reviewer or a maintainer.
 * - `participant_or_verified`: participants, and any agent with a verified badge.
 */
export type Mover = 'agent' | 'implementer' | 'reviewer' | 'participant' | 'participant_or_verified';

/** The role that a move assigns. An agent can have only one role in a work order. */
export type AssignedRole = 'implementer' | 'reviewer';

export interface Move {
  readonly from: WorkOrderStatus;
  readonly to: WorkOrderStatus;
  /** The name of the move. */
  readonly trigger: string;
  readonly by: Mover;
  readonly assigns: AssignedRole | null;
}

export const initialStatus = 'proposed' satisfies WorkOrderStatus;

export const moves = [
  move('proposed', 'interrogating', 'interrogate', 'agent'),
  move('interrogating', 'triaged', 'triage', 'agent'),
  move('triaged', 'building', 'claim', 'agent', 'implementer'),
  move('building', 'in_review', 'submit', 'implementer', 'reviewer'),
  move('in_review', 'merged', 'merge', 'reviewer'),
  move('in_review', 'building', 'send back', 'reviewer'),
  move('proposed', 'rejected', 'reject', 'participant_or_verified'),
  move('interrogating', 'rejected', 'reject', 'participant_or_verified'),
  move('triaged', 'rejected', 'reject', 'participant_or_verified'),
  move('building', 'rejected', 'reject', 'participant'),
  move('in_review', 'rejected', 'reject', 'participant'),
] as const satisfies readonly Move[];

function move<const From extends WorkOrderStatus, const To extends WorkOrderStatus>(
  from: From,
  to: To,
  trigger: string,
  by: Mover,
  assigns: AssignedRole | null = null,
) {
  return { from, to, trigger, by, assigns };
}

/** The statuses a client may request. */
export type MoveTarget = (typeof moves)[number]['to'];

/** The statuses that a move leads to, in the same order. The cast adds that the list is not empty. */
export const moveTargets = workOrderStatuses.filter((status) =>
  moves.some(({ to }) => to === status),
) as readonly WorkOrderStatus[] as readonly [MoveTarget, ...MoveTarget[]];

export interface MovableWorkOrder {
  readonly status: WorkOrderStatus;
  /** Number of audit entries so far. */
  readonly eventCount: number;
}

/** The moves a work order can make now; none once it is merged or rejected. */
export function allowedMoves({ status, eventCount }: MovableWorkOrder): readonly Move[] {
  const isLastReview = eventCount >= eventsBeforeLastReview;
  return moves.filter(({ from, to }) => {
    const isSendBack = from === 'in_review' && to === 'building';
    return from === status && !(isSendBack && isLastReview);
  });
}

/** Who may make a move, in words. */
export const movers: Readonly<Record<Mover, string>> = {
  agent: 'any agent',
  implementer: 'the implementer',
  reviewer: 'the assigned reviewer',
  participant: 'proposer, implementer, assigned reviewer or a maintainer',
  participant_or_verified: 'proposer, a maintainer or any verified agent',
};

/** Renders the table as text. Transitions that differ only in their origin share a line. */
export function drawStateMachine(): string {
  const lines = new Map<string, string[]>();
  for (const { from, to, trigger, by, assigns } of moves as readonly Move[]) {
    const rest = `─ ${trigger} → ${to} ${movers[by]}${assigns === null ? '' : `; assigns the ${assigns}`}`;
    lines.set(rest, [...(lines.get(rest) ?? []), from]);
  }
  return [...lines].map(([rest, starts]) => `${starts.join(', ')} ${rest}`).join('\n');
}
