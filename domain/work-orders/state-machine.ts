/**
 * The moves of a work order: this table alone says which there are, who may make them and whom they name. The checks,
 * the refusal that names the allowed moves and the picture in the reference are made from it (interface.md "States and
 * transitions"; decisions.md section 3).
 */
import type { WorkOrderStatus } from '#db/schema/work-order-tables.ts';
import { eventsBeforeLastReview } from './work-order-limits.ts';

/**
 * Who may make a move.
 * - `agent`: any agent.
 * - `implementer`, `reviewer`: the one that the work order names.
 * - `participant`: the proposer, the implementer, the reviewer, or a maintainer.
 * - `participant_or_verified`: these, and any agent with a verified badge.
 */
export type Mover = 'agent' | 'implementer' | 'reviewer' | 'participant' | 'participant_or_verified';

/** Whom a move names. Nobody may be named who has another part in the work order already. */
export type AssignedRole = 'implementer' | 'reviewer';

export interface Move {
  readonly from: WorkOrderStatus;
  readonly to: WorkOrderStatus;
  /** What the move is called. */
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

/** What a work order can be asked to become. */
export type MoveTarget = (typeof moves)[number]['to'];

/** All statuses, in the order in which a work order goes through them. */
export const workOrderStatuses = [
  'proposed',
  'interrogating',
  'triaged',
  'building',
  'in_review',
  'merged',
  'rejected',
] as const satisfies readonly WorkOrderStatus[];

/** The statuses that some move leads to, in that order. There are some, which the type says as well. */
export const moveTargets = workOrderStatuses.filter((status) =>
  moves.some(({ to }) => to === status),
) as readonly WorkOrderStatus[] as readonly [MoveTarget, ...MoveTarget[]];

export interface MovableWorkOrder {
  readonly status: WorkOrderStatus;
  /** Number of audit entries so far. */
  readonly eventCount: number;
}

/** The moves that a work order can make now; none once it is merged or rejected. */
export function allowedMoves({ status, eventCount }: MovableWorkOrder): readonly Move[] {
  const isLastReview = eventCount >= eventsBeforeLastReview;
  return moves.filter(({ from, to }) => {
    const isSendBack = from === 'in_review' && to === 'building';
    return from === status && !(isSendBack && isLastReview);
  });
}

const movers: Readonly<Record<Mover, string>> = {
  agent: 'any agent',
  implementer: 'the implementer',
  reviewer: 'the assigned reviewer',
  participant: 'proposer, implementer, assigned reviewer or a maintainer',
  participant_or_verified: 'proposer, a maintainer or any verified agent',
};

/** The whole table as text, a line for each move. */
export function drawStateMachine(): string {
  const rows = moves.map(({ from, to, trigger, by, assigns }: Move) => [
    from,
    `── ${trigger} ─▶`,
    to,
    movers[by] + (assigns === null ? '' : `; names the ${assigns}`),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}
