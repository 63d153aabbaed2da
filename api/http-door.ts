/** The HTTP door: how requests come in and responses go out. */
import { takeTurn } from '#runtime/loop-turns.ts';
import type { Endpoint } from './endpoint.ts';
import { listPathOf, nameRoute } from './openapi/operation-ids.ts';
import { type Arrival, createPipeline, type Door, type Stages } from './pipeline.ts';
import { createBodyReader, noBody } from './request/body.ts';
import {
  createPathReader,
  createQueryReader,
  idempotencyKeyOf,
  isSearch,
  maySearch,
  requestIdOf,
  requestTargetOf,
} from './request/input.ts';
import { createResponseWriter } from './response/responses.ts';
import { wantsMarkdown } from './response/negotiation.ts';
import { failureResponse } from './site/failure-response.ts';

interface HttpArrival extends Arrival {
  readonly pathParameters: Readonly<Record<string, string>>;
}

function createDoor(endpoint: Endpoint, stages: Stages): Door<HttpArrival, Response> {
  const list = listPathOf(endpoint.path);
  const readPath = createPathReader(endpoint.params, stages.listPaths.has(list) ? list : null);
  const readQuery = createQueryReader(endpoint);
  const readBody = createBodyReader(endpoint);
  const writeResponse = createResponseWriter(endpoint);
  const forOperators = endpoint.auth === 'operator';
  const isDescribed = endpoint.describesErrors === true;
  const hasMarkdown = endpoint.markdown !== undefined;
  const write: Door<HttpArrival, Response>['write'] = (result, { request, requestId }) => {
    const response = writeResponse(result, request, requestId);
    stages.cors?.allow(request, response);
    return response;
  };
  return {
    read: ({ request, pathParameters }, agentCtx, turn) => {
      const params = readPath(pathParameters);
      const query = readQuery(request);
      if (readBody === null) return { params, query, ...noBody };
      return readBody(request, agentCtx, turn).then((read) => ({ params, query, ...read }));
    },
    keyOf: ({ request }) => idempotencyKeyOf(request),
    signalOf: ({ request }) => request.signal,
    nameOf: nameRoute,
    write: hasMarkdown
      ? async (result, arrival) => {
          if (wantsMarkdown(arrival.request)) await takeTurn();
          return write(result, arrival);
        }
      : write,
    refuse: (error, { request, requestId }) => {
      const response = failureResponse(error, request, stages.deps, { requestId, forOperators, isDescribed });
      stages.cors?.allow(request, response);
      return response;
    },
  };
}

/** What Elysia hands to a route. Its hooks, parsers and checks are left out: the pipeline reads and checks everything. */
interface RouteContext {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
}

/** Serves an endpoint as a route of Elysia. */
export function createServe(
  endpoint: Endpoint,
  stages: Stages,
): (context: RouteContext) => Promise<Response> {
  const pipeline = createPipeline(endpoint, stages, createDoor(endpoint, stages));
  const searches = maySearch(endpoint);
  return ({ request, params }) =>
    pipeline({
      request,
      pathParameters: params,
      requestId: requestIdOf(request),
      method: request.method,
      isSearch: searches && isSearch(new URLSearchParams(requestTargetOf(request).query)),
    });
}
