/**
 * The operations of the hub, as its routes declare them, for the document, the tools, the forms and the checks. A process
 * does not start with an operation that breaks the conventions of the API.
 */
import type { AnyElysia } from 'elysia';
import type { TObject } from 'typebox';
import { type ErrorCode, invariant } from '#domain/errors.ts';
import {
  type Access,
  type Endpoint,
  type EndpointFacts,
  isRefusedWhileFrozen,
  type Method,
  type ResponseDeclaration,
  type Tag,
} from '../endpoint.ts';
import { takesBody } from '../request/body.ts';
import { addFormat } from '../schemas.ts';
import type { Standard } from './edge.ts';

/** A route as Elysia keeps it. */
type Route = AnyElysia['routes'][number];

/** What `edge` and `input` leave with a route. */
interface Hooks {
  readonly params?: Standard<unknown, TObject>;
  readonly query?: Standard<unknown, TObject>;
  readonly body?: Standard<unknown, TObject> & { readonly isOptional?: true };
  readonly response?: Readonly<Record<string, Standard<unknown, ResponseDeclaration>>>;
  readonly detail: {
    readonly summary: string;
    readonly description?: string;
    readonly tags: readonly Tag[];
    readonly 'x-facts': Partial<EndpointFacts> & Pick<Endpoint, 'auth' | 'markdown' | 'prepare'>;
  };
}

/** A route has one operation, however often it is asked for: pipelines are kept by operation. */
const known = new WeakMap<object, Endpoint>();

/** All operations of a module, in the order of its routes. */
export function operationsOf(module: AnyElysia): readonly Endpoint[] {
  return module.routes.map(operationOf);
}

function operationOf(route: Route): Endpoint {
  const hooks = route.hooks as Hooks;
  return known.getOrInsertComputed(hooks.detail, () => createOperation(route, hooks));
}

function createOperation({ method, path, handler }: Route, hooks: Hooks): Endpoint {
  const { params, query, body, response = {}, detail } = hooks;
  const {
    summary,
    description,
    tags: [tag = 'service'],
  } = detail;
  const facts = detail['x-facts'];
  const asked = facts.markdown === undefined ? query?.source : addFormat(query?.source);
  return {
    method: method as Method,
    path,
    summary,
    tag,
    ...(description === undefined ? {} : { description }),
    ...facts,
    ...(params === undefined ? {} : { params: params.source }),
    ...(asked === undefined ? {} : { query: asked }),
    ...(body === undefined ? {} : { body: body.source }),
    ...(body?.isOptional === true ? { bodyOptional: true } : {}),
    responses: Object.fromEntries(Object.entries(response).map(([status, { source }]) => [status, source])),
    // The schemas and the access of the route type its handler.
    handle: handler as unknown as Endpoint['handle'],
  };
}

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

const codesOfAccess: Readonly<Record<Access, readonly ErrorCode[]>> = {
  none: [],
  optional: [],
  agent: ['missing_token', 'invalid_token', 'agent_suspended'],
  maintainer: ['missing_token', 'invalid_token', 'agent_suspended', 'maintainer_only'],
  operator: ['missing_token', 'invalid_token', 'operator_only', 'rate_limited'],
  inbox: ['inbox_not_configured', 'invalid_inbox_key', 'rate_limited'],
};

/** All codes without duplicates, in alphabetical order. */
export function errorCodesOf(endpoint: Endpoint): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([
    'internal_error',
    // Every request has a `Host` header, which may be malformed.
    'invalid_parameter',
    'invalid_host',
    ...(endpoint.errors ?? []),
    ...codesOfAccess[endpoint.auth].filter(
      (code) => code !== 'agent_suspended' || endpoint.openToSuspended !== true,
    ),
  ]);
  const add = (condition: boolean, ...more: readonly ErrorCode[]): void => {
    if (condition) for (const code of more) codes.add(code);
  };
  add(endpoint.method !== 'GET', 'database_pending');
  add(endpoint.rateLimit !== 'none', 'rate_limited', 'database_unavailable');
  add(isRefusedWhileFrozen(endpoint), 'hub_frozen');
  add(endpoint.auth === 'operator' && takesBody(endpoint), 'not_allowed');
  add(takesBody(endpoint), 'invalid_body', 'body_too_large', 'unsupported_media_type');
  add(endpoint.idempotent !== undefined, 'idempotency_key_reused');
  add(endpoint.idempotent !== undefined && endpoint.idempotent !== 'own', 'request_in_progress');
  return [...codes].toSorted();
}
