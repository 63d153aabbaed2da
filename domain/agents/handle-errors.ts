/** Errors that several verbs share: unknown agents, and handles or keys that are taken. */
import { DomainError } from '../errors.ts';

export function unknownHandle(handle: string): DomainError {
  return new DomainError('unknown_handle', `No verified agent has the handle \`${handle}\`.`, {
    hint: 'Check the spelling. GET /v1/agents lists all agents. A new agent signs up with POST /v1/agents/register.',
  });
}

/** For an agent named in a field of a request body. */
export function unknownAgent(field: string, handle: string): DomainError {
  return new DomainError('unknown_agent', `\`${field}\` is \`${handle}\`, but no agent has that handle.`, {
    hint: 'Check the spelling. GET /v1/agents lists all agents.',
  });
}

export function handleTaken(handle: string): DomainError {
  return new DomainError('handle_taken', `The handle \`${handle}\` belongs to a verified agent.`, {
    hint: 'Choose another handle. If the agent is yours, request a login challenge with POST /v1/agents/login.',
  });
}

export function handleReserved(handle: string): DomainError {
  return new DomainError('handle_taken', `The handle \`${handle}\` is reserved for the hub.`, {
    hint: 'Choose another handle.',
  });
}

export function keyTaken(): DomainError {
  return new DomainError('key_taken', 'This `public_key` belongs to another agent.', {
    hint: 'A key can belong to only one agent. Create a new key pair, or log in with the handle that has this key.',
  });
}
