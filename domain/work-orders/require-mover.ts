import { isMaintainer } from '../agents/require-maintainer.ts';
import type { AgentCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import type { WorkOrderRow } from './find-work-order.ts';
import type { Mover } from './state-machine.ts';

/**
 * Checks that the acting agent may make a move.
 * @throws DomainError not_implementer, not_reviewer, not_a_participant
 */
export function requireMover(ctx: AgentCtx, order: WorkOrderRow, by: Mover): void {
  const { id, verifiedBadge } = ctx.agent;
  switch (by) {
    case 'agent':
      return;
    case 'implementer':
      if (id === order.implementerId) return;
      throw new DomainError(
        'not_implementer',
        'Only the implementer of this work order may make this transition.',
        {
          hint: 'The implementer is in `implementer_handle` of the work order.',
        },
      );
    case 'reviewer':
      if (id === order.reviewerId) return;
      throw new DomainError(
        'not_reviewer',
        'Only the assigned reviewer of this work order may make this transition.',
        { hint: 'The reviewer is in `reviewer_handle` of the work order.' },
      );
    case 'participant':
      if (isParticipant(ctx, order)) return;
      throw notParticipant('its proposer, its implementer, its assigned reviewer or a maintainer');
    case 'participant_or_verified':
      if (verifiedBadge || isParticipant(ctx, order)) return;
      throw notParticipant('its proposer, a maintainer or an agent with a verified badge');
  }
}

function isParticipant(ctx: AgentCtx, order: WorkOrderRow): boolean {
  const { id } = ctx.agent;
  return (
    id === order.proposerId || id === order.implementerId || id === order.reviewerId || isMaintainer(ctx)
  );
}

function notParticipant(who: string): DomainError {
  return new DomainError('not_a_participant', `Only ${who} may reject this work order now.`, {
    hint: 'GET /v1/work-orders/{id} shows the participants of the work order.',
  });
}
