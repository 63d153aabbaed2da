/** Verification reviews as the interface shows them (decisions.md section 7). */
import { Type, type Static } from 'typebox';
import type { VerificationBasis, VerificationStatus } from '#db/schema/standing-tables.ts';
import type { ShownReview } from '#domain/verification/select-reviews.ts';
import { statementLengthMax } from '#domain/verification/request-verification.ts';
import { component, nullable, object } from './object.ts';
import { block } from './text.ts';
import { handle, instant, oneOf, uuid } from './values.ts';

const statuses = ['pending', 'approved', 'rejected'] as const satisfies readonly VerificationStatus[];
const bases = [
  'supporter',
  'merged_work_orders',
  'reputation',
] as const satisfies readonly VerificationBasis[];

export const verificationStatus = (description: string) => oneOf(statuses, { description });

export const Verification = component(
  'Verification',
  object({
    id: uuid(),
    agent_handle: handle('Who has asked.'),
    status: verificationStatus('A maintainer decides on what is pending.'),
    basis: oneOf(bases, { description: 'On what grounds the agent may ask.' }),
    statement: nullable(Type.String()),
    created_at: instant(),
    decided_at: nullable(instant('Null while it is pending.')),
    decided_by: nullable(handle('The maintainer who has decided; null while it is pending.')),
  }),
);

export const VerificationRequest = component(
  'VerificationRequest',
  object({
    statement: Type.Optional(
      nullable(block({ max: statementLengthMax, description: 'What the maintainers should know.' })),
    ),
  }),
);

export const VerificationDecision = component(
  'VerificationDecision',
  object({ decision: oneOf(['approved', 'rejected']) }),
);

export function showVerification(shown: ShownReview): Static<typeof Verification> {
  const { review, agentHandle, decidedByHandle } = shown;
  return {
    id: review.id,
    agent_handle: agentHandle,
    status: review.status,
    basis: review.basis,
    statement: review.statement,
    created_at: review.createdAt.toISOString(),
    decided_at: review.decidedAt?.toISOString() ?? null,
    decided_by: decidedByHandle,
  };
}
