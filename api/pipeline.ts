/**
 * The stages of a call, whatever door it comes through: rate limit and authentication, host, what was sent, idempotency
 * and handler, log. Each pipeline is assembled once at start-up and leaves out the stages that its endpoint does not need.
 */
import type { DomainError } from '#domain/errors.ts';
import { hubFrozen } from '#domain/freeze/freeze-hub.ts';
import type { Cause } from '#runtime/tracing/cause.ts';
import type { Span } from '#runtime/tracing/tracing.ts';
import { isStoreFrozen } from '#db/errors.ts';
import { discardingWrites, freezeOf } from '#db/freeze-guard.ts';
import { takeTurn } from '#runtime/process/loop-turns.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type Endpoint, type Given, isRefusedWhileFrozen, type JsonResponse } from './endpoint.ts';
import { createBodyReader, noBody } from './request/body-reader.ts';
import { createResponseChecks } from './response/check-response.ts';
import { databasePending } from './demo-mode.ts';
import { toDomainError } from './errors/to-domain-error.ts';
import { createIdentify, type IdentifiedCtx } from './access/identify.ts';
import { claimantOfCaller, isSearch, maySearch } from './access/read-turns.ts';
import { idempotencyKeyOf } from './request/idempotency.ts';
import { nameRoute } from './openapi/operation-ids.ts';
import { createPathReader, createQueryReader } from './request/parameters.ts';
import { requestIdOf, requireHost } from './request/request-head.ts';
import { logRequest } from './request/request-log.ts';
import { createRequestTrace, endRequestSpan } from './request/request-trace.ts';
import { type CallDoor, createRunHandler } from './request/run-handler.ts';
import { wantsMarkdown } from './response/wants-markdown.ts';
import { createResponseWriter } from './response/write-response.ts';
import { failureResponse } from './site/failure-response.ts';
import type { Stages } from './stages.ts';

export type PathParameters = Readonly<Record<string, string>>;

/** How a call comes in and what becomes of its result. */
export interface Door<Sent extends { readonly status: number }> extends CallDoor {
  readonly method: string;
  readonly isSearch: boolean;
  /** Called once the caller is known, because a stranger's body is not read. Checks what it reads. */
  readonly read: (agentCtx: IdentifiedCtx | null) => Promise<Given> | Given;
  readonly write: (result: JsonResponse | Response) => Promise<Sent> | Sent;
  readonly refuse: (error: DomainError) => Sent;
}

/** Both never reject. */
export interface Pipeline {
  readonly call: <Sent extends { readonly status: number }>(door: Door<Sent>) => Promise<Sent>;
  /** The door of HTTP. */
  readonly serve: (request: Request, pathParameters: PathParameters) => Promise<Response>;
}

export function createPipeline(endpoint: Endpoint, stages: Stages): Pipeline {
  const call = createCall(endpoint, stages);
  const [parent = ''] = endpoint.path.split('/:');
  const readPath = createPathReader(endpoint.params, stages.listPaths.has(parent) ? parent : null);
  const readQuery = createQueryReader(endpoint);
  const readBody = createBodyReader(endpoint, stages);
  const writeResponse = createResponseWriter(endpoint);
  const forOperators = endpoint.auth === 'operator';
  const isDescribed = endpoint.describesErrors === true;
  const searches = maySearch(endpoint);
  const serve: Pipeline['serve'] = async (request, pathParameters) => {
    const requestId = requestIdOf(request);
    const response = await call<Response>({
      request,
      requestId,
      method: request.method,
      signal: request.signal,
      isSearch: searches && isSearch(request),
      read: async (agentCtx) => {
        const params = readPath(pathParameters);
        const query = readQuery(request);
        return { params, query, ...(readBody === null ? noBody : await readBody(request, agentCtx)) };
      },
      keyOf: () => idempotencyKeyOf(request),
      nameOf: nameRoute,
      write: async (result) => {
        if (endpoint.markdown !== undefined && wantsMarkdown(request)) await takeTurn();
        return writeResponse(result, request, requestId);
      },
      refuse: (error) =>
        failureResponse(error, request, stages.deps, { requestId, forOperators, isDescribed }),
    });
    stages.cors?.allow(request, response);
    return response;
  };
  return { call, serve };
}

function createCall(endpoint: Endpoint, stages: Stages): Pipeline['call'] {
  const { logger, demo, settings, db, secretKey } = stages.deps;
  const identify = createIdentify(endpoint, stages);
  const runHandler = createRunHandler(endpoint, stages);
  const checks = stages.checkResponses ? createResponseChecks(endpoint) : null;
  const startSpan = createRequestTrace(endpoint, stages.deps.tracing);
  const isRead = endpoint.method === 'GET';
  const isClosed = demo && !isRead;
  const isRefused = isRefusedWhileFrozen(endpoint);
  const isUnlimited = isClosed || endpoint.rateLimit === 'none';

  return async function call<Sent extends { readonly status: number }>(door: Door<Sent>): Promise<Sent> {
    const { request, requestId, method } = door;
    const startedAt = performance.now();
    const span = startSpan === null ? null : startSpan(request, method, requestId);
    // Reads enqueue no jobs.
    const cause = isRead ? undefined : causeOf(requestId, span);
    let failure: DomainError | null = null;
    let endTurn: (() => void) | null = null;
    let sent: Sent;
    try {
      if (isClosed) throw databasePending();
      endpoint.requires?.(settings);
      // Awaiting only real promises saves a turn of the microtask queue for each synchronous stage.
      const identified = identify(request, cause, door.isSearch);
      const agentCtx = identified instanceof Promise ? await identified : identified;
      crashPoint('request.identified');
      requireHost(request);
      if (isRefused && (await freezeOf(db)) !== null) throw hubFrozen();
      const read = door.read(agentCtx);
      const given = read instanceof Promise ? await read : read;
      if (door.isSearch)
        endTurn = await stages.takeSearchTurn(
          claimantOfCaller(secretKey, stages.clientAddressOf(request), agentCtx?.agent ?? null),
        );
      const pending = runHandler(agentCtx, { door, cause, ...given });
      const result = pending instanceof Promise ? await pending : pending;
      checks?.checkResponse(result);
      const written = door.write(result);
      sent = written instanceof Promise ? await written : written;
    } catch (error) {
      // Nothing was stored. What this read would store is computed and rolled back.
      if (isRead && !isRefused && isStoreFrozen(error)) return discardingWrites(() => call(door));
      failure = toDomainError(error);
      if (checks !== null) failure = checks.checkError(failure);
      sent = door.refuse(failure);
    } finally {
      endTurn?.();
    }
    crashPoint('request.answering');
    if (span !== null) endRequestSpan(span, sent.status, failure);
    logRequest(logger, {
      cause: cause ?? causeOf(requestId, span),
      method,
      route: endpoint.path,
      status: sent.status,
      startedAt,
      error: failure,
      // Wrong keys have a rate limit of their own.
      unlimited: isUnlimited && failure?.code !== 'invalid_token',
    });
    return sent;
  };
}

function causeOf(requestId: string, span: Span | null): Cause {
  return span === null ? { requestId } : { requestId, traceparent: span.traceparent };
}
