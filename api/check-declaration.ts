/** Stops the start over an endpoint that breaks the conventions every endpoint is to keep (decisions.md section 1). */
import { invariant } from '#domain/errors.ts';
import type { Endpoint } from './endpoint.ts';

/** @throws InvariantError */
export function checkDeclaration(endpoint: Endpoint): void {
  const name = `${endpoint.method} ${endpoint.path}`;
  const inPath = new Set([...endpoint.path.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter));
  const declared = new Set(Object.keys(endpoint.params?.properties ?? {}));
  invariant(
    inPath.symmetricDifference(declared).size === 0,
    `${name} declares the parameters that are in its path.`,
  );
  invariant(
    endpoint.body === undefined || isClosed(endpoint.body),
    `${name} refuses unknown fields: each object of its body says \`additionalProperties: false\`.`,
  );
  const isAgents = endpoint.auth === 'agent' || endpoint.auth === 'maintainer';
  invariant(
    endpoint.method !== 'POST' || !isAgents || endpoint.idempotent !== undefined,
    `${name} says how it honours an Idempotency-Key, as every authenticated POST does.`,
  );
  invariant(
    endpoint.idempotent === undefined || (endpoint.method === 'POST' && isAgents),
    `${name} has an agent for its idempotency keys to belong to.`,
  );
}

/** Whether no object within takes fields it does not name; records, whose names are free, do so on purpose. */
function isClosed(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  const isOpenObject = 'properties' in schema && !('additionalProperties' in schema);
  return !isOpenObject && Object.values(schema).every(isClosed);
}
