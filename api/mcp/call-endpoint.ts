/** Sends a request of an MCP client through the pipeline of an endpoint, in this process. */
import { DomainError } from '#domain/errors.ts';
import { writeExactJson } from '#evals/own-suite/exact-json.ts';
import type { Endpoint } from '../endpoint.ts';
import { createPipeline, type Serve } from '../pipeline.ts';
import type { Stages } from '../stages.ts';
import { argumentsOf, type ToolRoute } from './tool.ts';

/** The request that carries the MCP message. Its caller is the caller of the endpoint. */
export interface Carrier {
  readonly request: Request;
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal;
}

export type CallEndpoint = (
  carrier: Carrier,
  route: ToolRoute,
  given: Readonly<Record<string, unknown>>,
) => Promise<Response>;

/** Headers that identify the caller. Headers about the content are the endpoint's own. */
const passedHeaders = ['authorization', 'host', 'user-agent', 'x-forwarded-for', 'traceparent'];

export function createCallEndpoint(stages: Stages, endpoints: ReadonlySet<Endpoint>): CallEndpoint {
  const peers = new WeakMap<Request, Request>();
  // The request gets the address of its carrier; otherwise all callers would share one limit.
  const withoutKey = new WeakSet<Request>();
  const original = (request: Request): Request => peers.get(request) ?? request;
  const inner: Stages = {
    ...stages,
    // The origin has been checked with the carrier.
    cors: null,
    makesKey: (request) => withoutKey.has(request),
    peerOf: (request) => stages.peerOf(original(request)),
    clientAddressOf: (request) => stages.clientAddressOf(original(request)),
  };
  const pipelines = new Map<Endpoint, Serve>(
    [...endpoints].map((endpoint) => [endpoint, createPipeline(endpoint, inner)]),
  );
  return async (carrier, route, given) => {
    const { request, params } = buildRequest(stages, carrier, route, given);
    peers.set(request, carrier.request);
    // A model that repeats itself must not pay twice.
    if (route.keyed === true && !request.headers.has('idempotency-key')) withoutKey.add(request);
    const serve = pipelines.get(route.endpoint);
    if (serve === undefined) throw new Error(`${route.endpoint.path} has no pipeline.`);
    return serve(request, params);
  };
}

function buildRequest(
  { deps }: Stages,
  { request: carrier, signal }: Carrier,
  route: ToolRoute,
  given: Readonly<Record<string, unknown>>,
): { readonly request: Request; readonly params: Record<string, string> } {
  const { endpoint, fixed = {}, made = {} } = route;
  let key: string | null = null;
  const params: Record<string, string> = {};
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  const { fields } = argumentsOf(route);
  for (const [argument, { name, part }] of Object.entries(fields)) {
    const value = given[argument];
    if (value === undefined) continue;
    if (part === 'key') key = asText(value);
    else if (part === 'body') body[name] = value;
    // The endpoint rejects anything but text and numbers with a clear message.
    else if (part === 'path') params[name] = asText(value);
    else query.append(name, asText(value));
  }
  for (const [name, value] of Object.entries(fixed)) {
    if (endpoint.query !== undefined && name in endpoint.query.properties) query.append(name, asText(value));
    else body[name] = value;
  }
  for (const [name, make] of Object.entries(made)) body[name] ??= make();
  const headers = new Headers();
  if (key !== null) headers.set('idempotency-key', key);
  for (const name of passedHeaders) {
    const value = carrier.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  const url = deps.rules.baseUrl + path + search;
  if (endpoint.method === 'GET' || endpoint.method === 'DELETE') {
    return { request: new Request(url, { method: endpoint.method, headers, signal }), params };
  }
  headers.set('content-type', 'application/json');
  const sent = endpoint.exactNumbers === true ? writeExactJson(body) : JSON.stringify(body);
  return { request: new Request(url, { method: endpoint.method, headers, signal, body: sent }), params };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : writeExactJson(value);
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
