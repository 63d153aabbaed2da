/** The door of HTTP: serves the routes of the hub. */
import type { AnyElysia, Elysia } from 'elysia';
import { takeTurn } from '#runtime/process/loop-turns.ts';
import type { Endpoint } from '../endpoint.ts';
import { nameRoute } from '../openapi/operation-ids.ts';
import { type Arrival, createPipeline, type Door, type Stages } from '../pipeline.ts';
import { createBodyReader, noBody } from '../request/body.ts';
import { listPathOf } from '../openapi/operation-ids.ts';
import {
  createPathReader,
  createQueryReader,
  idempotencyKeyOf,
  isSearch,
  maySearch,
  requestIdOf,
} from '../request/input.ts';
import { createResponseWriter } from '../response/responses.ts';
import { wantsMarkdown } from '../response/negotiation.ts';
import { failureResponse } from '../site/failure-response.ts';
import { operationsOf } from './operations.ts';

interface HttpArrival extends Arrival {
  readonly pathParameters: Readonly<Record<string, string>>;
}

function createDoor(endpoint: Endpoint, stages: Stages): Door<HttpArrival, Response> {
  const list = listPathOf(endpoint.path);
  const readPath = createPathReader(endpoint.params, stages.listPaths.has(list) ? list : null);
  const readQuery = createQueryReader(endpoint);
  const readBody = createBodyReader(endpoint, stages.largeBodyTurns);
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
    read: ({ request, pathParameters }, agentCtx) => {
      const params = readPath(pathParameters);
      const query = readQuery(request);
      if (readBody === null) return { params, query, ...noBody };
      return readBody(request, agentCtx).then(({ body, rawBody }) => ({ params, query, body, rawBody }));
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

interface AnswerOptions {
  readonly modules: readonly AnyElysia[];
  /** Pages of other origins never see the paths of operators. */
  readonly stagesOf: (path: string) => Stages;
  /** The response to a request that a route of this path must not serve, or null. Null if it serves all. */
  readonly turnAwayFor: (path: string) => ((request: Request) => Promise<Response> | null) | null;
}

/** Elysia finds the route. Its hooks, parsers and checks are left out: the pipeline has read and checked everything. */
export function answerCalls(app: Elysia, { modules, stagesOf, turnAwayFor }: AnswerOptions): void {
  for (const endpoint of modules.flatMap(operationsOf)) {
    const { method, path } = endpoint;
    const stages = stagesOf(path);
    const pipeline = createPipeline(endpoint, stages, createDoor(endpoint, stages));
    const searches = maySearch(endpoint);
    const turnAway = turnAwayFor(path);
    const serve = (request: Request, pathParameters: Readonly<Record<string, string>>) =>
      turnAway?.(request) ??
      pipeline({
        request,
        pathParameters,
        requestId: requestIdOf(request),
        method: request.method,
        isSearch: searches && isSearch(request),
      });
    app.route(method, path, ({ request, params }) => serve(request, params), { parse: 'none' });
    if (method === 'GET')
      app.route('HEAD', path, ({ request, params }) => serve(request, params), { parse: 'none' });
  }
}
