/** Responds to requests that no endpoint serves. */
import type { DomainError } from '#domain/errors.ts';
import { toDomainError } from './errors/to-domain-error.ts';
import { requestIdOf, requireHost } from './request/input.ts';
import { logRequest } from './request/request-log.ts';
import { emptyResponse } from './response/responses.ts';
import { failureResponse } from './site/failure-response.ts';
import type { Stages } from './pipeline.ts';

export async function respondToOptions(request: Request, allow: string, stages: Stages): Promise<Response> {
  try {
    requireHost(request);
  } catch (error) {
    return respondWithError(request, toDomainError(error), stages);
  }
  const response = emptyResponse(204, requestIdOf(request), 'no-store');
  response.headers.set('allow', allow);
  stages.cors?.allowPreflight(request, response, allow);
  return response;
}

/**
 * Responds to a request that no endpoint serves. It counts as a read, or probing for paths would be free.
 */
export async function respondWithError(
  request: Request,
  reason: DomainError,
  stages: Stages,
): Promise<Response> {
  const { cors, deps } = stages;
  const startedAt = performance.now();
  const requestId = requestIdOf(request);
  let error = reason;
  try {
    await stages.countUnserved(request);
    requireHost(request);
  } catch (thrown) {
    error = toDomainError(thrown);
  }
  const response = failureResponse(error, request, deps, { requestId, isUnserved: true });
  cors?.allow(request, response);
  logRequest(deps.logger, {
    cause: { requestId },
    method: request.method,
    route: '(none)',
    status: response.status,
    startedAt,
    error,
    unlimited: true,
  });
  return response;
}
