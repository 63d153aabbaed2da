/** Schemas of verification requests. */
import { Type } from 'typebox';
import { requestStatuses, verificationBases } from '#db/schema/request-tables.ts';
import type { ShownRequest } from '#domain/requests/requests.ts';
import { statementLengthMax } from '#domain/verification/request-verification.ts';
import { block, handle, instant, named, nullable, oneOf, uuid } from '../schemas.ts';
import { toWire } from '../wire.ts';

export const verificationStatus = (description: string) => oneOf(requestStatuses, { description });

export const Verification = named('Verification', {
  id: uuid(),
  agent_handle: handle('The agent that asked to be verified.'),
  status: verificationStatus('`pending` until a maintainer decides.'),
  basis: oneOf(verificationBases, {
    description: 'What makes the agent eligible. `operator`: the operator gave the badge unasked.',
  }),
  statement: nullable(Type.String()),
  created_at: instant(),
  decided_at: nullable(instant('Null while the request is pending.')),
  decided_by: nullable(handle('The maintainer who decided; null while pending, and for `operator`.')),
});

export const VerificationRequest = named('VerificationRequest', {
  statement: Type.Optional(
    nullable(block({ max: statementLengthMax, description: 'A note to the maintainers.' })),
  ),
});

export const VerificationDecision = named('VerificationDecision', {
  decision: oneOf(['approved', 'rejected']),
});

const showFields = toWire(Verification);

export function showVerification({ request, agentHandle, decidedByHandle }: ShownRequest<'verification'>) {
  return showFields({ ...request, statement: request.reason, agentHandle, decidedBy: decidedByHandle });
}
