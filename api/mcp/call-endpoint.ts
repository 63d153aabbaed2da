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
import type { Arguments } from './tool.ts';

/** The request that carries the MCP message. Its caller is the caller of the endpoint. */
export interface Carrier {
  readonly request: Request;
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly body: unknown;
  /** Whether it is the result of an earlier call with the same key. */
  readonly isRepeated: boolean;
}

/** @throws DomainError as the operation would respond with */
export type CallEndpoint = (carrier: Carrier, endpoint: Endpoint, values: Values) => Promise<Answer>;

/** A call of a tool or a resource as it comes in. */
interface McpArrival extends Arrival {
  readonly signal: AbortSignal;
  readonly endpoint: Endpoint;
  readonly values: Values;
}

type Reply = { readonly status: number } & (Answer | { readonly error: DomainError });

/** @param nameOf how hints name operations to the client */
export function createCallEndpoint(stages: Stages, nameOf: NameOperation): CallEndpoint {
  const door: Door<McpArrival, Reply> = {
    read: ({ endpoint, values }) => readValues(endpoint, values),
    keyOf: ({ values }) => values.key,
    signalOf: ({ signal }) => signal,
    nameOf,
    write: async (result) => ({ status: result.status, ...(await answerOf(result)) }),
    refuse: (error) => ({ status: errorTable[error.code].status, error }),
  };
  const pipelines = new Map<Endpoint, (arrival: McpArrival) => Promise<Reply>>();
  const pipelineOf = (endpoint: Endpoint) => {
    const known = pipelines.get(endpoint) ?? createPipeline(endpoint, stages, door);
    pipelines.set(endpoint, known);
    return known;
  };
  return async ({ request, signal }, endpoint, values) => {
    const reply = await pipelineOf(endpoint)({
      request,
      signal,
      requestId: requestIdOf(request),
      method: endpoint.method,
      isSearch: 'q' in values.query,
      endpoint,
      values,
    });
    if ('error' in reply) throw reply.error;
    return reply;
  };
}

/** What is sent, by its part of the request. */
export interface Values {
  readonly params: Arguments;
  readonly query: Arguments;
  readonly body: Arguments;
  /** The idempotency key; undefined makes one from what is given. */
  readonly key: string | null | undefined;
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
  if (result instanceof JsonResponse) {
    const isRepeated = result.headers['idempotent-replayed'] === 'true';
    return { body: result.body, isRepeated };
  }
  const text = await result.text();
  const isJson = result.headers.get('content-type')?.startsWith('application/json') === true;
  return { body: isJson ? JSON.parse(text) : { text }, isRepeated: false };
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
