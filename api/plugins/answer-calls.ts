/** Answers the routes of the hub over HTTP: the hooks of Elysia call the steps of a call. */
import type { AnyElysia, Elysia } from 'elysia';
import { discardingWrites } from '#db/freeze-guard.ts';
import type { DomainError } from '#domain/errors.ts';
import { takeTurn } from '#runtime/process/loop-turns.ts';
import { isSearch, maySearch } from '../access/read-turns.ts';
import type { Call, Endpoint, JsonResponse } from '../endpoint.ts';
import { nameRoute } from '../openapi/operation-ids.ts';
import {
  type CallInProgress,
  createPipeline,
  type Door,
  type OpenedCall,
  type Pipeline,
} from '../pipeline.ts';
import { createBodyReader, noBody } from '../request/body-reader.ts';
import { idempotencyKeyOf } from '../request/idempotency.ts';
import { createPathReader, createQueryReader } from '../request/parameters.ts';
import { requestIdOf } from '../request/request-head.ts';
import { wantsMarkdown } from '../response/wants-markdown.ts';
import { createResponseWriter } from '../response/write-response.ts';
import { failureResponse } from '../site/failure-response.ts';
import type { Stages } from '../stages.ts';
import { operationsOf } from './operations.ts';

type PathParameters = Readonly<Record<string, string>>;

/** An operation as HTTP serves it. */
interface HttpOperation {
  readonly pipeline: Pipeline;
  readonly doorOf: (request: Request, params: PathParameters) => Door;
  readonly write: (result: JsonResponse | Response, door: Door) => Promise<Response> | Response;
  readonly refuse: (error: DomainError, door: Door) => Response;
}

/** What the hooks keep with a request. */
interface HttpCall {
  readonly operation: HttpOperation;
  readonly progress: CallInProgress;
  /** Null until the caller is known and has been read. */
  readonly opened: OpenedCall | null;
}

function createHttpOperation(endpoint: Endpoint, stages: Stages): HttpOperation {
  const [parent = ''] = endpoint.path.split('/:');
  const readPath = createPathReader(endpoint.params, stages.listPaths.has(parent) ? parent : null);
  const readQuery = createQueryReader(endpoint);
  const readBody = createBodyReader(endpoint, stages);
  const writeResponse = createResponseWriter(endpoint);
  const forOperators = endpoint.auth === 'operator';
  const isDescribed = endpoint.describesErrors === true;
  const searches = maySearch(endpoint);
  return {
    pipeline: createPipeline(endpoint, stages),
    doorOf: (request, pathParameters) => ({
      request,
      requestId: requestIdOf(request),
      method: request.method,
      signal: () => request.signal,
      isSearch: searches && isSearch(request),
      read: async (agentCtx) => {
        const params = readPath(pathParameters);
        const query = readQuery(request);
        return { params, query, ...(readBody === null ? noBody : await readBody(request, agentCtx)) };
      },
      keyOf: () => idempotencyKeyOf(request),
      nameOf: nameRoute,
    }),
    write: async (result, { request, requestId }) => {
      if (endpoint.markdown !== undefined && wantsMarkdown(request)) await takeTurn();
      const response = writeResponse(result, request, requestId);
      stages.cors?.allow(request, response);
      return response;
    },
    refuse: (error, { request, requestId }) => {
      const response = failureResponse(error, request, stages.deps, { requestId, forOperators, isDescribed });
      stages.cors?.allow(request, response);
      return response;
    },
  };
}

/** Responds to what no route serves: unknown paths and other methods. */
type RespondOtherwise = (request: Request, error: unknown, code: unknown) => Promise<Response>;

interface AnswerOptions {
  readonly modules: readonly AnyElysia[];
  /** Pages of other origins never see the paths of operators. */
  readonly stagesOf: (path: string) => Stages;
  /** The response to a request that the route must not serve, or null. */
  readonly turnAway: (request: Request, endpoint: Endpoint) => Promise<Response> | null;
  readonly respondOtherwise: RespondOtherwise;
}

/** A response instead of the call. */
class TurnedAway extends Error {
  readonly response: Promise<Response>;

  constructor(response: Promise<Response>) {
    super('The request is answered elsewhere.');
    this.response = response;
  }
}

export function answerCalls(
  app: Elysia,
  { modules, stagesOf, turnAway, respondOtherwise }: AnswerOptions,
): void {
  const operations = new Map<string, HttpOperation>(
    modules
      .flatMap(operationsOf)
      .map((endpoint) => [
        `${endpoint.method} ${endpoint.path}`,
        createHttpOperation(endpoint, stagesOf(endpoint.path)),
      ]),
  );
  const hooked = app
    .decorate({ http: null as HttpCall | null, call: null as Call | null })
    .onTransform(async (context) => {
      const { request } = context;
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      const operation = operations.get(`${method} ${context.route}`);
      if (operation === undefined) return;
      const { pipeline } = operation;
      const elsewhere = turnAway(request, pipeline.endpoint);
      if (elsewhere !== null) throw new TurnedAway(elsewhere);
      const door = operation.doorOf(request, context.params);
      const progress = pipeline.begin(door);
      context.http = { operation, progress, opened: null };
      const opened = await pipeline.open(progress);
      context.http = { operation, progress, opened };
      const call = pipeline.callOf(opened.agentCtx, opened.read);
      context.call = call;
      context.params = call.params;
      context.query = call.query;
      context.body = call.body;
    })
    // An idempotency key needs a transaction around the handler.
    .onBeforeHandle(async ({ http }) => {
      if (http === null || http.opened === null) return undefined;
      const { agentCtx, read } = http.opened;
      const { pipeline } = http.operation;
      return pipeline.isWrapped(read) ? await pipeline.run(agentCtx, read) : undefined;
    })
    .mapResponse(async ({ http, responseValue }) => {
      // Elysia also passes the responses of errors.
      if (http === null || http.progress.hasEnded) return undefined;
      const { operation, progress } = http;
      const { pipeline, write } = operation;
      const result = pipeline.responseOf(await responseValue);
      pipeline.check(result);
      const response = await write(result, progress.door);
      pipeline.end(progress, response.status, null);
      return response;
    })
    .onError(async ({ error, request, code, http, set }) => {
      if (error instanceof TurnedAway) return error.response;
      if (http === null || http === undefined) return respondOtherwise(request, error, code);
      const { operation, progress } = http;
      const { pipeline } = operation;
      // Nothing was stored. What this read would store is computed and rolled back.
      if (pipeline.isKeptFromStoring(error)) {
        progress.endTurn?.();
        const response = await discardingWrites(() => app.handle(request));
        // Elysia would take it for an error.
        set.status = response.status;
        return response;
      }
      const failure = pipeline.failureOf(error);
      const response = operation.refuse(failure, progress.door);
      pipeline.end(progress, response.status, failure);
      return response;
    });
  for (const { method, path, handler, hooks } of modules.flatMap(({ routes }) => routes)) {
    // The steps have checked everything against the schemas, so Elysia need not parse and copy it once more.
    const { params: _, query: _query, body: _body, response: _response, ...others } = hooks;
    hooked.route(method, path, handler, others);
    if (method === 'GET') hooked.route('HEAD', path, handler, others);
  }
}
