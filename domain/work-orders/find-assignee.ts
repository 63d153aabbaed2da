/** Looks up the agent that a move assigns and enforces separation of duties. */
import type { Database } from '#db/database.ts';
import { findAgentByHandle } from '../agents/find-agent.ts';
import { unknownAgent } from '../agents/handle-errors.ts';
import { DomainError } from '../errors.ts';
import type { WorkOrderRow } from './find-work-order.ts';
import type { AssignedRole } from './state-machine.ts';

/**
 * @returns the agent's id
 * @throws DomainError invalid_body if no handle is given, unknown_agent, separation_of_duties
 */
export async function findAssignee(
  db: Database,
  order: WorkOrderRow,
  part: AssignedRole,
  handle: string | null,
): Promise<string> {
  const field = `\`${part}_handle\``;
  if (handle === null) {
    throw new DomainError('invalid_body', `${field} is required for this transition: it names the ${part}.`);
  }
  const agent = await findAgentByHandle(db, handle);
  if (agent === null) throw unknownAgent(`${part}_handle`, handle);
  const taken = part === 'implementer' ? [order.proposerId] : [order.proposerId, order.implementerId];
  if (taken.includes(agent.id)) {
    const others = part === 'implementer' ? 'the proposer' : 'the proposer or the implementer';
    throw new DomainError('separation_of_duties', `The ${part} must not be ${others}.`, {
      hint: `Name another agent in ${field}.`,
    });
  }
  return agent.id;
}
