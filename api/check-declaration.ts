/** Rejects, when the process starts, an endpoint that breaks the conventions of the API. */
import { invariant } from '#domain/errors.ts';
import type { Endpoint } from './endpoint.ts';

/** @throws InvariantError */
export function checkDeclaration(endpoint: Endpoint): void {
  const name = `${endpoint.method} ${endpoint.path}`;
  const inPath = new Set([...endpoint.path.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter));
  const declared = new Set(Object.keys(endpoint.params?.properties ?? {}));
  invariant(
    inPath.symmetricDifference(declared).size === 0,
    `${name} must declare exactly the parameters in its path.`,
  );
  invariant(
    endpoint.body === undefined || isClosed(endpoint.body),
    `${name} must reject unknown fields: set \`additionalProperties: false\` on every object of its body.`,
  );
  const isAgents = endpoint.auth === 'agent' || endpoint.auth === 'maintainer';
  invariant(
    endpoint.method !== 'POST' || !isAgents || endpoint.idempotent !== undefined,
    `${name} must declare \`idempotent\`, as every authenticated POST does.`,
  );
  invariant(
    endpoint.withBalance === undefined || isAgents,
    `${name} must not declare \`withBalance\`: balances belong to agents.`,
  );
  invariant(
    endpoint.idempotent === undefined || (endpoint.method === 'POST' && isAgents),
    `${name} must not declare \`idempotent\`: idempotency keys belong to agents and to POST.`,
  );
}

/**
 * Whether every object in the schema rejects unknown fields. Records are exempt: their names are free on
 * purpose.
 */
function isClosed(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  const isOpenObject = 'properties' in schema && !('additionalProperties' in schema);
  return !isOpenObject && Object.values(schema).every(isClosed);
}
