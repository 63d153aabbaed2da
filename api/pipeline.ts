/**
 * The stages of a request: id, rate limit and authentication, host, parameters, body, idempotency and
 * handler, response, log. Each pipeline is assembled once at start-up and leaves out the stages that its
 * endpoint does not need.
 */
import type { DomainError } from '#domain/errors.ts';
import { hubFrozen } from '#domain/freeze/freeze-hub.ts';
import type { Cause } from '#runtime/tracing/cause.ts';
import type { Span } from '#runtime/tracing/tracing.ts';
import { isStoreFrozen } from '#db/errors.ts';
import { discardingWrites, freezeOf } from '#db/freeze-guard.ts';
import { takeTurn } from '#runtime/process/loop-turns.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { type Endpoint, isRefusedWhileFrozen } from './endpoint.ts';
import { createBodyReader, noBody } from './request/body-reader.ts';
import { createResponseChecks } from './response/check-response.ts';
import { databasePending } from './demo-mode.ts';
import { toDomainError } from './errors/to-domain-error.ts';
import { createIdentify } from './access/identify.ts';
import { claimantOfCaller, isSearch, maySearch } from './access/read-turns.ts';
import { createPathReader, createQueryReader } from './request/parameters.ts';
import { requestIdOf, requireHost } from './request/request-head.ts';
import { logRequest } from './request/request-log.ts';
import { createRequestTrace, endRequestSpan } from './request/request-trace.ts';
import { createRunHandler } from './request/run-handler.ts';
import { wantsMarkdown } from './response/wants-markdown.ts';
import { createResponseWriter } from './response/write-response.ts';
import { failureResponse } from './site/failure-response.ts';
import type { Stages } from './stages.ts';

export type PathParameters = Readonly<Record<string, string>>;

/** Serves one request to one endpoint. Never rejects. */
export type Serve = (request: Request, pathParameters: PathParameters) => Promise<Response>;

export function createPipeline(endpoint: Endpoint, stages: Stages): Serve {
  const { cors } = stages;
  const { logger, demo, settings, db, secretKey } = stages.deps;
  const identify = createIdentify(endpoint, stages);
  const [parent = ''] = endpoint.path.split('/:');
  const readPath = createPathReader(endpoint.params, stages.listPaths.has(parent) ? parent : null);
  const readQuery = createQueryReader(endpoint);
  const readBody = createBodyReader(endpoint, stages);
  const runHandler = createRunHandler(endpoint, stages);
  const writeResponse = createResponseWriter(endpoint);
  const checks = stages.checkResponses ? createResponseChecks(endpoint) : null;
  const forOperators = endpoint.auth === 'operator';
  const isDescribed = endpoint.describesErrors === true;
  const startSpan = createRequestTrace(endpoint, stages.deps.tracing);
  const searches = maySearch(endpoint);
  const isRead = endpoint.method === 'GET';
  const isClosed = demo && !isRead;
  const isRefused = isRefusedWhileFrozen(endpoint);
  const isUnlimited = isClosed || endpoint.rateLimit === 'none';

  const serve: Serve = async (request, pathParameters) => {
    const startedAt = performance.now();
    const requestId = requestIdOf(request);
    const span = startSpan === null ? null : startSpan(request, requestId);
    // Reads enqueue no jobs.
    const cause = isRead ? undefined : causeOf(requestId, span);
    let failure: DomainError | null = null;
    let endTurn: (() => void) | null = null;
    let response: Response;
    try {
      if (isClosed) throw databasePending();
      endpoint.requires?.(settings);
      // Awaiting only real promises saves a turn of the microtask queue for each synchronous stage.
      const identified = identify(request, cause);
      const agentCtx = identified instanceof Promise ? await identified : identified;
      crashPoint('request.identified');
      requireHost(request);
      if (isRefused && (await freezeOf(db)) !== null) throw hubFrozen();
      const params = readPath(pathParameters);
      const query = readQuery(request);
      const { body, rawBody } = readBody === null ? noBody : await readBody(request, agentCtx);
      if (searches && isSearch(request))
        endTurn = await stages.takeSearchTurn(
          claimantOfCaller(secretKey, stages.clientAddressOf(request), agentCtx?.agent ?? null),
        );
      const pending = runHandler({ request, requestId, cause, agentCtx, params, query, body, rawBody });
      const result = pending instanceof Promise ? await pending : pending;
      if (endpoint.markdown !== undefined && wantsMarkdown(request)) await takeTurn();
      checks?.checkResponse(result);
      response = writeResponse(result, request, requestId);
    } catch (error) {
      // Nothing was stored. What this read would store is computed and rolled back.
      if (isRead && !isRefused && isStoreFrozen(error))
        return discardingWrites(() => serve(request, pathParameters));
      failure = toDomainError(error);
      if (checks !== null) failure = checks.checkError(failure);
      response = failureResponse(failure, request, stages.deps, {
        requestId,
        forOperators,
        isDescribed,
        nameOf: stages.nameOf,
      });
    } finally {
      endTurn?.();
    }
    crashPoint('request.answering');
    cors?.allow(request, response);
    if (span !== null) endRequestSpan(span, response.status, failure);
    logRequest(logger, {
      cause: cause ?? causeOf(requestId, span),
      method: request.method,
      route: endpoint.path,
      status: response.status,
      startedAt,
      error: failure,
      // Wrong keys have a rate limit of their own.
      unlimited: isUnlimited && failure?.code !== 'invalid_token',
    });
    return response;
  };
  return serve;
}

function causeOf(requestId: string, span: Span | null): Cause {
  return span === null ? { requestId } : { requestId, traceparent: span.traceparent };
}
