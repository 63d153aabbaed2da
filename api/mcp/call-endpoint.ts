/** The door of MCP: calls an endpoint for a client, with the arguments of a tool or the parameters of a resource. */
import { DomainError } from '#domain/errors.ts';
import type { NameOperation } from '#domain/operation.ts';
import { writeExactJson } from '#evals/own-suite/exact-json.ts';
import { type Endpoint, type Given, JsonResponse } from '../endpoint.ts';
import { errorTable } from '../errors/error-table.ts';
import { type Arrival, createPipeline, type Door } from '../pipeline.ts';
import { defaultBodyMaxBytes, requirePlainText, tooLarge } from '../request/body.ts';
import { requestIdOf } from '../request/request-head.ts';
import type { Stages } from '../stages.ts';
import { argumentsOf, type ToolRoute } from './tool.ts';

/** The request that carries the MCP message. Its caller is the caller of the endpoint. */
export interface Carrier {
  readonly request: Request;
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal;
}

export type Outcome = Answer | Refusal;

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** Whether it is the result of an earlier call with the same key. */
  readonly isRepeated: boolean;
}

export interface Refusal {
  readonly status: number;
  readonly error: DomainError;
  readonly nameOf: NameOperation;
}

export type CallEndpoint = (
  carrier: Carrier,
  route: ToolRoute,
  given: Readonly<Record<string, unknown>>,
) => Promise<Outcome>;

/** A call of a tool or a resource as it comes in. */
interface ToolArrival extends Arrival {
  readonly signal: AbortSignal;
  readonly route: ToolRoute;
  readonly values: Values;
  /** The key that the model gave, or null. */
  readonly key: string | null;
}

/** @param nameOf how hints name operations to the client */
export function createCallEndpoint(stages: Stages, nameOf: NameOperation): CallEndpoint {
  const door: Door<ToolArrival, Outcome> = {
    read: ({ route, values }) => readValues(route.endpoint, values),
    // A model that repeats itself must not pay twice.
    keyOf: ({ key, route }) => key ?? (route.keyed === true ? undefined : null),
    signalOf: ({ signal }) => signal,
    nameOf,
    write: answerOf,
    refuse: (error) => ({ status: errorTable[error.code].status, error, nameOf }),
  };
  const pipelines = new Map<Endpoint, (arrival: ToolArrival) => Promise<Outcome>>();
  const pipelineOf = (endpoint: Endpoint) => {
    const known = pipelines.get(endpoint) ?? createPipeline(endpoint, stages, door);
    pipelines.set(endpoint, known);
    return known;
  };
  return ({ request, signal }, route, given) => {
    const { endpoint } = route;
    const { values, key } = valuesOf(route, given);
    return pipelineOf(endpoint)({
      request,
      signal,
      requestId: requestIdOf(request),
      method: endpoint.method,
      isSearch: 'q' in values.query,
      route,
      values,
      key,
    });
  };
}

interface Values {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

function valuesOf(
  route: ToolRoute,
  given: Readonly<Record<string, unknown>>,
): { readonly values: Values; readonly key: string | null } {
  const { endpoint, fixed = {}, made = {} } = route;
  let key: unknown = null;
  const parts = {
    path: {} as Record<string, unknown>,
    query: {} as Record<string, unknown>,
    body: {} as Record<string, unknown>,
  };
  for (const [argument, { name, part }] of Object.entries(argumentsOf(route).fields)) {
    const value = given[argument];
    if (value === undefined) continue;
    if (part === 'key') key = value;
    else parts[part][name] = value;
  }
  for (const [name, value] of Object.entries(fixed)) {
    const isOfQuery = endpoint.query !== undefined && name in endpoint.query.properties;
    parts[isOfQuery ? 'query' : 'body'][name] = value;
  }
  for (const [name, make] of Object.entries(made)) parts.body[name] ??= make();
  // The schema of the argument has been checked.
  return { values: { params: parts.path, query: parts.query, body: parts.body }, key: key as string | null };
}

/** @throws DomainError body_too_large or invalid_body */
function readValues(
  { body: schema, bodyMaxBytes = defaultBodyMaxBytes, exactNumbers }: Endpoint,
  { params, query, body }: Values,
): Given {
  const rawBody = new Uint8Array();
  if (schema === undefined) return { params, query, body: null, rawBody };
  const text = exactNumbers === true ? writeExactJson(body) : JSON.stringify(body);
  if (Buffer.byteLength(text) > bodyMaxBytes) throw tooLarge(bodyMaxBytes);
  requirePlainText(text);
  return { params, query, body, rawBody };
}

async function answerOf(result: JsonResponse | Response): Promise<Answer> {
  const { status } = result;
  if (result instanceof JsonResponse) {
    const isRepeated = result.headers['idempotent-replayed'] === 'true';
    return { status, body: result.body, isRepeated };
  }
  const text = await result.text();
  const isJson = result.headers.get('content-type')?.startsWith('application/json') === true;
  return { status, body: isJson ? JSON.parse(text) : { text }, isRepeated: false };
}

/**
 * Counts a call that reaches no endpoint, because there is no such tool or its arguments are wrong. Otherwise such calls
 * would have no limit.
 * @returns the error once the network is over its limit, otherwise null
 */
export type CountUnserved = (carrier: Carrier) => Promise<DomainError | null>;

export function createCountUnserved({ limiters, clientAddressOf }: Stages): CountUnserved {
  return async ({ request }) => {
    try {
      await limiters.reads?.countNetwork(clientAddressOf(request));
      return null;
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
  };
}
