/**
 * The steps of every call, over HTTP or MCP or from a form: rate limit and authentication, host, input, idempotency and
 * handler, response, log. Each pipeline is assembled once and leaves out the steps that its endpoint does not need.
 */
import { createHash } from 'node:crypto';
import { isStoreFrozen } from '#db/errors.ts';
import { discardingWrites, freezeOf } from '#db/transaction.ts';
import type { BearerCtx, Ctx } from '#domain/context.ts';
import type { DomainError } from '#domain/errors.ts';
import { hubFrozen } from '#domain/freeze/freeze-hub.ts';
import { withBaseUrl } from '#domain/hub-rules.ts';
import type { NameOperation } from '#domain/operation.ts';
import type { TokenBalance } from '#domain/tokens/read-balances.ts';
import { createClientAddressReader } from '#runtime/inbound-http/client-address.ts';
import { hasCredentials, looksLocal } from '#runtime/inbound-http/operator-access.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { Cause } from '#runtime/tracing/log.ts';
import type { Span } from '#runtime/tracing/tracing.ts';
import type { Claimant } from '#runtime/turns/turns.ts';
import {
  type AccessStages,
  createAuthenticate,
  createIdentify,
  type IdentifiedCtx,
} from './access/authenticate.ts';
import { createRequireInboxKey, createRequireOperator } from './access/key-gate.ts';
import { createRateLimiters, limiterOf, networkOf } from './access/rate-limits.ts';
import { claimantOfCaller, createReadTurns, type ReadTurns, type TakenTurn } from './access/read-turns.ts';
import type { ApiDeps } from './deps.ts';
import { createDemoMarker, databasePending } from './demo-mode.ts';
import { type Call, type Endpoint, type Given, isRefusedWhileFrozen, JsonResponse } from './endpoint.ts';
import { toDomainError } from './errors/to-domain-error.ts';
import { isLargeBody, type LargeBodyTurns, largeBodyTurnsOf } from './request/body.ts';
import { once } from './request/idempotency.ts';
import { askedBaseUrl, requireHost } from './request/input.ts';
import { createRequestTrace, endRequestSpan, logRequest } from './request/request-log.ts';
import { createResponseChecks } from './response/check-response.ts';
import { type Cors, createCors } from './response/cors.ts';

/** A call as it comes in. */
export interface Arrival {
  /** What carries the call: its headers and its connection identify the caller. */
  readonly request: Request;
  readonly requestId: string;
  readonly method: string;
  readonly isSearch: boolean;
}

type Result = JsonResponse | Response;

/** How calls come in and their replies go out. */
export interface Door<A extends Arrival, Reply extends { readonly status: number }> {
  /**
   * Called once the caller is known, because a stranger's body is not read. Checks what it reads.
   * @param turn of a large body
   */
  readonly read: (arrival: A, agentCtx: BearerCtx | null, turn: TakenTurn | null) => Promise<Given> | Given;
  /** The idempotency key; undefined makes one from what was given. */
  readonly keyOf: (arrival: A) => string | null | undefined;
  /** Aborts when the caller no longer waits. */
  readonly signalOf: (arrival: A) => AbortSignal;
  /** How hints name operations to the caller. */
  readonly nameOf: NameOperation;
  readonly write: (result: Result, arrival: A) => Promise<Reply> | Reply;
  readonly refuse: (failure: DomainError, arrival: A) => Reply;
}

/** @returns a function that serves one call and never rejects */
export function createPipeline<A extends Arrival, Reply extends { readonly status: number }>(
  endpoint: Endpoint,
  stages: Stages,
  door: Door<A, Reply>,
): (arrival: A) => Promise<Reply> {
  const { logger, demo, settings, db, secretKey } = stages.deps;
  const identify = createIdentify(endpoint, stages);
  const handle = createHandler(endpoint, stages, door);
  const checks = stages.checkResponses ? createResponseChecks(endpoint) : null;
  const startSpan = createRequestTrace(endpoint, stages.deps.tracing);
  const isRead = endpoint.method === 'GET';
  const isClosed = demo && !isRead;
  const isRefused = isRefusedWhileFrozen(endpoint);
  const isUnlimited = isClosed || endpoint.rateLimit === 'none';
  const largeBodyTurns = largeBodyTurnsOf(endpoint, stages.largeBodyTurns);
  const claimantOf = (request: Request, agentCtx: IdentifiedCtx | null): Claimant =>
    claimantOfCaller(secretKey, stages.clientAddressOf(request), agentCtx?.agent ?? null);

  const serve = async (arrival: A): Promise<Reply> => {
    const startedAt = performance.now();
    const { request, requestId, method } = arrival;
    const span = startSpan === null ? null : startSpan(request, method, requestId);
    // Reads enqueue no jobs.
    const cause = isRead ? undefined : causeOf(requestId, span);
    let endTurn: TakenTurn | null = null;
    let failure: DomainError | null = null;
    let reply: Reply;
    try {
      if (isClosed) throw databasePending();
      endpoint.requires?.(settings);
      // Awaiting only real promises saves a turn of the microtask queue for each synchronous step.
      const identified = identify(request, cause, arrival.isSearch);
      const agentCtx = identified instanceof Promise ? await identified : identified;
      crashPoint('request.identified');
      requireHost(request);
      if (isRefused && (await freezeOf(db)) !== null) throw hubFrozen();
      if (largeBodyTurns !== null && isLargeBody(request))
        endTurn = await largeBodyTurns.take(claimantOf(request, agentCtx), door.signalOf(arrival));
      const reading = door.read(arrival, agentCtx, endTurn);
      const given = reading instanceof Promise ? await reading : reading;
      if (arrival.isSearch) endTurn = await stages.searchTurns.take(claimantOf(request, agentCtx));
      const result = await handle(arrival, cause, agentCtx, given);
      checks?.checkResponse(result);
      const writing = door.write(result, arrival);
      reply = writing instanceof Promise ? await writing : writing;
    } catch (error) {
      // Nothing was stored. What this read would store is computed and rolled back.
      if (isRead && !isRefused && isStoreFrozen(error)) {
        endTurn?.();
        return discardingWrites(() => serve(arrival));
      }
      failure = toDomainError(error);
      if (checks !== null) failure = checks.checkError(failure);
      reply = door.refuse(failure, arrival);
    }
    endTurn?.();
    crashPoint('request.answering');
    if (span !== null) endRequestSpan(span, reply.status, failure);
    logRequest(logger, {
      cause: cause ?? causeOf(requestId, span),
      method,
      route: endpoint.path,
      status: reply.status,
      startedAt,
      error: failure,
      // Wrong keys have a rate limit of their own.
      unlimited: isUnlimited && failure?.code !== 'invalid_token',
    });
    return reply;
  };
  return serve;
}

function causeOf(requestId: string, span: Span | null): Cause {
  return span === null ? { requestId } : { requestId, traceparent: span.traceparent };
}

/** Calls the handler of an endpoint, once per idempotency key where the endpoint honours keys. */
function createHandler<A extends Arrival>(
  endpoint: Endpoint,
  stages: Stages,
  door: Pick<Door<A, never>, 'keyOf' | 'signalOf' | 'nameOf'>,
) {
  const mark = createDemoMarker(endpoint, stages.deps);
  const takesKey = honoursKeys(endpoint);
  const handle = async (call: Call): Promise<Result> => {
    const response = responseOf(endpoint, await endpoint.handle(call));
    return mark === null || response instanceof Response ? response : mark(response);
  };
  return async (
    arrival: A,
    cause: Cause | undefined,
    agentCtx: IdentifiedCtx | null,
    given: Given,
  ): Promise<Result> => {
    const source: CallSource = {
      endpoint,
      stages,
      arrival,
      nameOf: door.nameOf,
      signal: () => door.signalOf(arrival),
      idempotencyKey: () => door.keyOf(arrival) ?? null,
    };
    const ctx = agentCtx ?? visitorCtxOf(stages, arrival.request, cause);
    const balance = agentCtx?.balance ?? null;
    const key = takesKey ? door.keyOf(arrival) : null;
    return handleOnce({ endpoint, source, ctx, given, balance, key, handle });
  };
}

function honoursKeys({ idempotent }: Endpoint): boolean {
  return idempotent === 'transaction' || idempotent === 'after';
}

interface KeyedHandling {
  readonly endpoint: Endpoint;
  readonly source: CallSource;
  readonly ctx: Ctx | BearerCtx;
  readonly given: Given;
  readonly balance: TokenBalance | null;
  /** Null if the handler runs each time; undefined makes a key from what was given. */
  readonly key: string | null | undefined;
  readonly handle: (call: Call) => Promise<Result>;
}

async function handleOnce(run: KeyedHandling): Promise<Result> {
  const { endpoint, source, ctx, given, balance, key, handle } = run;
  const { prepare } = endpoint;
  const call = callOf(source, ctx, given, balance, null);
  // Nobody could tell the keys of strangers apart.
  if (!('agent' in ctx) || key === null) {
    if (prepare === undefined) return handle(call);
    return handle(callOf(source, ctx, given, balance, await prepare(call)));
  }
  const { stages, arrival } = source;
  const content = { params: given.params, query: given.query, body: bodyToCompare(given, arrival.request) };
  return once(endpoint, ctx, stages.deps, {
    key: key ?? null,
    content,
    prepare: () => prepare?.(call) ?? null,
    handle: (keyCtx, prepared) => handle(callOf(source, keyCtx, given, balance, prepared)),
  });
}

/** The result of a handler as a response. A body without a status gets 200 if that is declared, otherwise 201. */
function responseOf({ responses }: Endpoint, result: unknown): Result {
  if (result instanceof Response || result instanceof JsonResponse) return result;
  return new JsonResponse(200 in responses ? 200 : 201, result, {});
}

/** What a visitor without an account stores is counted for its network. Reads enqueue no jobs and store nothing. */
function visitorCtxOf(stages: Stages, request: Request, cause: Cause | undefined): Ctx {
  const ctx = stages.ctxOf(request);
  if (cause === undefined) return ctx;
  return {
    ...ctx,
    cause,
    get network() {
      const clientAddress = () => stages.clientAddressOf(request);
      return networkOf({ ctx, deps: stages.deps, clientAddress }).network;
    },
  };
}

/** Documents are not parsed before their verb reads them. */
function bodyToCompare({ body, rawBody }: Given, request: Request): unknown {
  if (body !== null || rawBody.byteLength === 0) return body;
  const type = request.headers.get('content-type');
  return { type, sha256: createHash('sha256').update(rawBody).digest('hex') };
}

/** What is the same for every handler that a call runs. */
interface CallSource extends Pick<Call, 'nameOf' | 'signal' | 'idempotencyKey'> {
  readonly endpoint: Endpoint;
  readonly stages: Stages;
  readonly arrival: Arrival;
}

/** The argument of a handler. */
function callOf(
  source: CallSource,
  ctx: Ctx,
  { params, query, body, rawBody }: Given,
  balance: TokenBalance | null,
  prepared: unknown,
): Call {
  const { endpoint, stages, arrival, nameOf, signal, idempotencyKey } = source;
  const { request, requestId } = arrival;
  const clientAddress = () => stages.clientAddressOf(request);
  const fields = {
    deps: stages.deps,
    ctx,
    agent: 'agent' in ctx ? ctx.agent : null,
    params,
    query,
    body,
    rawBody,
    prepared,
    request,
    requestId,
    signal,
    clientAddress,
    balance,
    nameOf,
    idempotencyKey,
    count: async (agentId: string | null, at: Endpoint = endpoint) => {
      const limiter = limiterOf(at, stages.limiters);
      if (agentId !== null) await limiter?.countAgent(agentId);
      else await limiter?.countNetwork(clientAddress());
    },
    run: (other: Endpoint, given: Given, { ctx: otherCtx, key }: Parameters<Call['run']>[2]) =>
      handleOnce({
        endpoint: other,
        source: { ...source, idempotencyKey: () => key },
        ctx: otherCtx,
        given,
        balance: null,
        key: honoursKeys(other) ? key : null,
        handle: async (call) => responseOf(other, await other.handle(call)),
      }),
  };
  // The cast is safe: the steps before have produced what the schemas and the access of the endpoint declare.
  const call = fields as unknown as Call & { call: Call };
  call.call = call;
  return call;
}

/** What all endpoints of an app share, built once from the dependencies. */
export interface Stages extends AccessStages {
  readonly deps: ApiDeps;
  readonly searchTurns: ReadTurns;
  readonly largeBodyTurns: LargeBodyTurns;
  /** Null if CORS_ORIGINS is empty. */
  readonly cors: Cors | null;
  /**
   * Checks responses against their declarations; for tests, because it costs as much as the response itself.
   */
  readonly checkResponses: boolean;
  /** The address of the TCP connection, which may be a proxy's. */
  readonly peerOf: (request: Request) => string;
  /**
   * Counts a request that reaches no endpoint as a read of its network.
   * @throws DomainError rate_limited
   */
  readonly countUnserved: (request: Request) => Promise<void>;
  /** The paths of lists, which errors about an id name. */
  readonly listPaths: ReadonlySet<string>;
}

export function createStages(
  deps: ApiDeps,
  {
    peerOf,
    checkResponses,
    rateLimitTimeoutMs,
    listPaths,
  }: Pick<Stages, 'peerOf' | 'checkResponses' | 'listPaths'> & { readonly rateLimitTimeoutMs: number },
): Stages {
  const readClientAddress = createClientAddressReader(deps.settings.trustedProxies);
  const limiters = createRateLimiters(deps, rateLimitTimeoutMs);
  const clientAddressOf = (request: Request): string =>
    readClientAddress(peerOf(request), request.headers.get('x-forwarded-for'));
  return {
    deps,
    ctxOf: createCtxReader(deps),
    authenticate: createAuthenticate(deps, 'api'),
    requireOperator: createRequireOperator(deps, limiters.wrongKeys),
    isFromMachine: (request) =>
      !hasCredentials(request) &&
      looksLocal(request, peerOf(request), {
        baseUrl: deps.rules.baseUrl,
        corsOrigins: deps.settings.corsOrigins,
      }),
    requireInboxKey: createRequireInboxKey(deps.settings.inboxKey, limiters.wrongKeys),
    limiters,
    searchTurns: createReadTurns('searches'),
    largeBodyTurns: { document: createReadTurns('documents'), mail: createReadTurns('emails') },
    cors: createCors(deps.settings.corsOrigins),
    checkResponses,
    peerOf,
    listPaths,
    clientAddressOf,
    countUnserved: (request) => limiters.reads.countNetwork(clientAddressOf(request)),
  };
}

function createCtxReader({ db, clock, rules, publisher }: ApiDeps): Stages['ctxOf'] {
  const ctx: Ctx = { db, clock, rules, publisher };
  return (request) => {
    const baseUrl = askedBaseUrl(rules.baseUrl, request);
    return baseUrl === rules.baseUrl ? ctx : { ...ctx, rules: withBaseUrl(rules, baseUrl) };
  };
}
