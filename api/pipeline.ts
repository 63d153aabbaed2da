/**
 * The way of a request through one endpoint: id, rate limit and auth, host, parameters, body, idempotency and handler,
 * answer, log. What an endpoint does not use is left out when the hub starts, rather than looked at for each request.
 */
import type { DomainError } from '#domain/errors.ts';
import type { Cause } from '#runtime/tracing/cause.ts';
import type { Span } from '#runtime/tracing/tracing.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import type { Endpoint } from './endpoint.ts';
import { createBodyReader, noBody } from './request/body-reader.ts';
import { createAnswerChecks } from './response/check-answers.ts';
import { databasePending } from './response/demo.ts';
import { toDomainError } from './response/errors.ts';
import { requireHost } from './request/host.ts';
import { createIdentify } from './access/identify.ts';
import { createPathReader, createQueryReader } from './request/parameters.ts';
import { requestIdOf } from './request/request-id.ts';
import { logRequest } from './request/request-log.ts';
import { createRequestTrace, endRequestSpan } from './request/request-trace.ts';
import { errorResponse } from './response/responses.ts';
import { createRunHandler } from './request/run-handler.ts';
import { createWriteAnswer } from './response/write-answer.ts';
import type { Stages } from './stages.ts';

export type PathParameters = Readonly<Record<string, string>>;

/** Serves one request of one endpoint. Never rejects. */
export type Serve = (request: Request, pathParameters: PathParameters) => Promise<Response>;

export function createPipeline(endpoint: Endpoint, stages: Stages): Serve {
  const { cors } = stages;
  const { logger, demo, settings } = stages.deps;
  const route = endpoint.path;
  const identify = createIdentify(endpoint, stages);
  const readPath = createPathReader(endpoint.params);
  const readQuery = createQueryReader(endpoint.query);
  const readBody = createBodyReader(endpoint);
  const runHandler = createRunHandler(endpoint, stages);
  const writeAnswer = createWriteAnswer(endpoint);
  const checks = stages.checkAnswers ? createAnswerChecks(endpoint) : null;
  const forOperators = endpoint.auth === 'operator';
  const startSpan = createRequestTrace(endpoint, stages.deps.tracing);
  const isRead = endpoint.method === 'GET';
  const isClosed = demo && endpoint.method !== 'GET';
  const isUnlimited = isClosed || endpoint.rateLimit === 'none';

  return async (request, pathParameters) => {
    const startedAt = performance.now();
    const requestId = requestIdOf(request);
    const span = startSpan === null ? null : startSpan(request, requestId);
    // A read promises no work.
    const cause = isRead ? undefined : causeOf(requestId, span);
    let refusal: DomainError | null = null;
    let response: Response;
    try {
      if (isClosed) throw databasePending();
      endpoint.requires?.(settings);
      // Each stage that has its result at once is spared a turn of the event loop's queue.
      const identified = identify(request, cause);
      const agentCtx = identified instanceof Promise ? await identified : identified;
      crashPoint('request.identified');
      requireHost(request);
      const params = readPath(pathParameters);
      const query = readQuery(request);
      const { body, rawBody } = readBody === null ? noBody : await readBody(request);
      const answered = runHandler({ request, requestId, cause, agentCtx, params, query, body, rawBody });
      const answer = answered instanceof Promise ? await answered : answered;
      checks?.checkAnswer(answer);
      response = writeAnswer(answer, request, requestId);
    } catch (error) {
      refusal = toDomainError(error);
      if (checks !== null) refusal = checks.checkRefusal(refusal);
      response = errorResponse(refusal, { requestId, forOperators });
    }
    crashPoint('request.answering');
    cors?.allow(request, response);
    if (span !== null) endRequestSpan(span, response.status, refusal);
    logRequest(logger, {
      cause: cause ?? causeOf(requestId, span),
      method: request.method,
      route,
      status: response.status,
      startedAt,
      refusal,
      // Wrong keys have a limit of their own.
      unlimited: isUnlimited && refusal?.code !== 'invalid_token',
    });
    return response;
  };
}

function causeOf(requestId: string, span: Span | null): Cause {
  return span === null ? { requestId } : { requestId, traceparent: span.traceparent };
}
