/** Builds the Elysia app from the endpoints. `main.ts` and the test harness put it on a port. */
import { Elysia } from 'elysia';
import { DomainError, invariant } from '#domain/errors.ts';
import { checkDeclaration } from './check-declaration.ts';
import type { ApiDeps } from './deps.ts';
import type { Endpoint } from './endpoint.ts';
import { createPipeline, type Serve } from './pipeline.ts';
import { toDomainError } from './errors/to-domain-error.ts';
import { defaultRateLimitTimeoutMs } from './access/rate-limits.ts';
import { requestIdOf, type RequestTarget, requestTargetOf, requireHost } from './request/request-head.ts';
import { logRequest } from './request/request-log.ts';
import { emptyResponse, errorResponse } from './response/responses.ts';
import { hubEndpoints } from './routes/index.ts';
import { createStages, type Stages } from './stages.ts';

export interface AppOptions {
  /** Endpoints to serve instead of the hub's own, for tests of the pipeline. */
  readonly endpoints?: readonly Endpoint[];
  /** Checks every response against its declaration, for tests. */
  readonly checkResponses?: boolean;
  /**
   * How long a request waits for Redis to count it, for tests that must not depend on the speed of the
   * machine.
   */
  readonly rateLimitTimeoutMs?: number;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

export function buildApp(
  deps: ApiDeps,
  {
    endpoints = hubEndpoints,
    checkResponses = false,
    rateLimitTimeoutMs = defaultRateLimitTimeoutMs,
  }: AppOptions = {},
): Elysia {
  const app = new Elysia({
    strictPath: true,
    precompile: true,
    // Otherwise Elysia reads a host of fewer than four characters as part of the path.
    handler: { standardHostname: false },
  });
  const stages = createStages(deps, {
    checkResponses,
    rateLimitTimeoutMs,
    peerOf: (request) => app.server?.requestIP(request)?.address ?? '',
  });
  const paths = [...Map.groupBy(endpoints, ({ path }) => path)]
    .toSorted(([one], [other]) => (literalsFirst(one) < literalsFirst(other) ? -1 : 1))
    .map(([path, ofPath]) => addPath(app, path, ofPath, stages));
  app.onError(async ({ error, request, code }) => {
    if (code !== 'NOT_FOUND') return respondWithError(request, toDomainError(error), stages);
    const target = requestTargetOf(request);
    // The router knows nothing of methods that no path has, such as TRACE.
    const path = paths.find(({ pattern }) => pattern.test(target.path));
    return path === undefined
      ? respondWithError(request, notFound(target), stages)
      : path.respondMethodNotAllowed(request);
  });
  return app;
}

interface Path {
  readonly pattern: RegExp;
  respondMethodNotAllowed(request: Request): Promise<Response>;
}

/** Registers every method, including those the path does not have, which get a 405 instead of a 404. */
function addPath(app: Elysia, path: string, endpoints: readonly Endpoint[], shared: Stages): Path {
  // Pages of other origins never see operator endpoints, even if CORS_ORIGINS lists them.
  const stages = endpoints.some(({ auth }) => auth === 'operator') ? { ...shared, cors: null } : shared;
  const allow = allowedMethods(endpoints);
  const serves = new Map<string, Serve>();
  for (const endpoint of endpoints) {
    invariant(!serves.has(endpoint.method), `${endpoint.method} ${path} is declared twice.`);
    checkDeclaration(endpoint);
    const serve = createPipeline(endpoint, stages);
    serves.set(endpoint.method, serve);
    if (endpoint.method === 'GET') serves.set('HEAD', serve);
  }
  const respondMethodNotAllowed = async (request: Request): Promise<Response> => {
    const response = await respondWithError(request, methodNotAllowed(request.method, allow), stages);
    response.headers.set('allow', allow);
    return response;
  };
  for (const method of methods) {
    const serve = serves.get(method);
    // The pipeline reads the body, within its limits.
    if (serve !== undefined)
      app.route(method, path, ({ request, params }) => serve(request, params), { parse: 'none' });
    else if (method === 'OPTIONS')
      app.route(method, path, ({ request }) => respondToOptions(request, allow, stages));
    else app.route(method, path, ({ request }) => respondMethodNotAllowed(request));
  }
  return { pattern: patternOf(path), respondMethodNotAllowed };
}

function allowedMethods(endpoints: readonly Endpoint[]): string {
  const own = new Set<string>(endpoints.map(({ method }) => method));
  return methods
    .filter((method) => own.has(method) || method === 'OPTIONS' || (method === 'HEAD' && own.has('GET')))
    .join(', ');
}

/** `/v1/agents/:handle` matches `/v1/agents/ada`. */
function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : RegExp.escape(part)));
  return new RegExp(`^${parts.join('/')}$`);
}

/** Sorts `/v1/agents/me` before `/v1/agents/:handle`, as the router matches them. */
function literalsFirst(path: string): string {
  return path.replaceAll(/:[^/]+/g, '\u{ffff}');
}

async function respondToOptions(request: Request, allow: string, stages: Stages): Promise<Response> {
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
async function respondWithError(request: Request, reason: DomainError, stages: Stages): Promise<Response> {
  const { cors, deps } = stages;
  const startedAt = performance.now();
  const requestId = requestIdOf(request);
  let error = reason;
  try {
    await stages.limiters.reads?.countNetwork(stages.clientAddressOf(request));
    requireHost(request);
  } catch (thrown) {
    error = toDomainError(thrown);
  }
  const response = errorResponse(error, { requestId });
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

function notFound({ path }: RequestTarget): DomainError {
  if (path.includes('#')) {
    return new DomainError(
      'invalid_parameter',
      'The path must not contain `#`; remove the fragment, or encode the character as %23.',
    );
  }
  return new DomainError('not_found', 'No endpoint has this path.', {
    hint: 'All endpoints are listed at GET /docs (for people) and GET /openapi.json (for programs).',
  });
}

function methodNotAllowed(method: string, allow: string): DomainError {
  return new DomainError('method_not_allowed', `This path does not support ${method}; it supports ${allow}.`);
}
