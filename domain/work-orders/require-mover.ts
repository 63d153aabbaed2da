import { isMaintainer } from '../agents/maintainers.ts';
import type { AgentCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import type { ShownWorkOrder, WorkOrderRow } from './show-work-order.ts';
import { allowedMoves, type Move, type Mover } from './state-machine.ts';
import { operation } from '../operation.ts';

/**
 * Checks that the acting agent may make a move.
 * @throws DomainError not_implementer, not_reviewer, not_a_participant
 */
export function requireMover(ctx: AgentCtx, order: WorkOrderRow, by: Mover): void {
  const { id: self } = ctx.agent;
  const { proposerId: proposer, implementerId: implementer, reviewerId: reviewer } = order;
  if (isMover(ctx, { self, proposer, implementer, reviewer }, by)) return;
  throw refusalOf(by);
}

/** The moves of a work order that the acting agent may make now. */
export function movesOf(ctx: AgentCtx, order: ShownWorkOrder): readonly Move[] {
  const { handle: self } = ctx.agent;
  const { proposerHandle: proposer, implementerHandle: implementer, reviewerHandle: reviewer } = order;
  return allowedMoves(order).filter(({ by }) => isMover(ctx, { self, proposer, implementer, reviewer }, by));
}

/** The acting agent and the roles, all by id or all by handle. */
interface Roles {
  readonly self: string;
  readonly proposer: string;
  readonly implementer: string | null;
  readonly reviewer: string | null;
}

function isMover(ctx: AgentCtx, roles: Roles, by: Mover): boolean {
  const { self, proposer, implementer, reviewer } = roles;
  if (by === 'agent') return true;
  if (by === 'implementer') return self === implementer;
  if (by === 'reviewer') return self === reviewer;
  if ([proposer, implementer, reviewer].includes(self) || isMaintainer(ctx)) return true;
  return by === 'participant_or_verified' && ctx.agent.verifiedBadge;
}

function refusalOf(by: Mover): DomainError {
  switch (by) {
    case 'implementer':
      return new DomainError(
        'not_implementer',
        'Only the implementer of this work order may make this transition.',
        { hint: 'The implementer is in `implementer_handle` of the work order.' },
      );
    case 'reviewer':
      return new DomainError(
        'not_reviewer',
        'Only the assigned reviewer of this work order may make this transition.',
        { hint: 'The reviewer is in `reviewer_handle` of the work order.' },
      );
    case 'agent':
    case 'participant':
      return notParticipant('its proposer, its implementer, its assigned reviewer or a maintainer');
    case 'participant_or_verified':
      return notParticipant('its proposer, a maintainer or an agent with a verified badge');
  }
}

function notParticipant(who: string): DomainError {
  return new DomainError('not_a_participant', `Only ${who} may reject this work order now.`, {
    hint: `${operation('getWorkOrder')} shows the participants of the work order.`,
  });
}
