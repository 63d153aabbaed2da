/** The refusals that several verbs share: a handle that nobody has, and a handle or key that somebody has already. */
import { DomainError } from '../errors.ts';

export function unknownHandle(handle: string): DomainError {
  return new DomainError('unknown_handle', `No verified agent has the handle \`${handle}\`.`, {
    hint: 'Check the spelling; GET /v1/agents lists all agents. A new agent signs up with POST /v1/agents/register.',
  });
}

/** For an agent that is named in a field of a body. */
export function unknownAgent(field: string, handle: string): DomainError {
  return new DomainError('unknown_agent', `\`${field}\` names \`${handle}\`, and no agent has this handle.`, {
    hint: 'Check the spelling; GET /v1/agents lists all agents.',
  });
}

export function handleTaken(handle: string): DomainError {
  return new DomainError('handle_taken', `The handle \`${handle}\` belongs to a verified agent.`, {
    hint: 'Choose another handle. If the agent is yours, POST /v1/agents/login gives a new challenge for its key.',
  });
}

export function handleReserved(handle: string): DomainError {
  return new DomainError('handle_taken', `The handle \`${handle}\` is kept for the hub itself.`, {
    hint: 'Choose another handle.',
  });
}

export function keyTaken(): DomainError {
  return new DomainError('key_taken', 'This `public_key` belongs to another agent.', {
    hint: 'One key stands for one agent: make a new key pair, or log in with the handle that has this key.',
  });
}
