/** Builds the Elysia app from the endpoints. `main.ts` and the test harness put it on a port. */
import { type AnyElysia, Elysia } from 'elysia';
import { DomainError, invariant } from '#domain/errors.ts';
import { checkDeclaration, operationsOf } from './plugins/operations.ts';
import { hostNameInUrl, hostNameOf, isLoopbackName } from '#runtime/inbound-http/host-names.ts';
import { signOfProxy } from '#runtime/inbound-http/proxy-watch.ts';
import type { ApiDeps } from './deps.ts';
import type { Endpoint } from './endpoint.ts';
import { createServe } from './http-door.ts';
import { toDomainError } from './errors/to-domain-error.ts';
import { defaultRateLimitTimeoutMs } from './access/shared-limiter.ts';
import { errorTable } from './errors/error-table.ts';
import { type Known, looksLikeApi, suggestEndpoints } from './errors/suggest-endpoints.ts';
import { type RequestTarget, requestTargetOf } from './request/input.ts';
import { addMcp, isMcpPath } from './mcp/serve-mcp.ts';
import { isProgramPath } from './response/negotiation.ts';
import { hubModules } from './routes.ts';
import { createStages, type Stages } from './pipeline.ts';
import { respondToOptions, respondWithError } from './unserved-requests.ts';

export interface AppOptions {
  /** Routes to serve instead of the hub's own, for tests of the edge. */
  readonly modules?: readonly AnyElysia[];
  /** Checks every response against its declaration, for tests. */
  readonly checkResponses?: boolean;
  /**
   * How long a request waits for Redis to count it, for tests that must not depend on the speed of the
   * machine.
   */
  readonly rateLimitTimeoutMs?: number;
}

const isList = ({ method, path }: Endpoint): boolean =>
  method === 'GET' && path.startsWith('/v1/') && !path.includes(':');

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

export function buildApp(
  deps: ApiDeps,
  {
    modules = hubModules,
    checkResponses = false,
    rateLimitTimeoutMs = defaultRateLimitTimeoutMs,
  }: AppOptions = {},
): Elysia {
  const app = new Elysia({
    strictPath: true,
    // A route is compiled at its first request. All of them would take most of the start-up time.
    precompile: false,
    // Otherwise Elysia reads a host of fewer than four characters as part of the path.
    handler: { standardHostname: false },
  });
  const endpoints = modules.flatMap(operationsOf);
  const stages = createStages(deps, {
    checkResponses,
    rateLimitTimeoutMs,
    listPaths: new Set(endpoints.filter(isList).map(({ path }) => path)),
    peerOf: (request) => app.server?.requestIP(request)?.address ?? '',
  });
  const checkOrigin = createCheckOrigin(deps);
  if (checkOrigin !== null) {
    app.onRequest(({ request }) => {
      try {
        checkOrigin(request);
        return undefined;
      } catch (error) {
        // MCP rejects foreign host names itself, as its specification requires.
        if (isMcpPath(requestTargetOf(request).path)) return undefined;
        return respondWithError(request, toDomainError(error), stages);
      }
    });
  }
  const paths = pathsOf(endpoints, stages);
  app.onError(async ({ error, request, code }) => {
    if (code !== 'NOT_FOUND') return respondWithError(request, toDomainError(error), stages);
    const target = requestTargetOf(request);
    // The path may exist without the method.
    const path = paths.find(({ pattern }) => pattern.test(target.path));
    return path === undefined
      ? respondWithError(request, notFound(request, target, paths), stages)
      : path.respondToOtherMethod(request);
  });
  for (const { path, endpoints: own, stages: shared, turnAway, shadowed, respondToOtherMethod } of paths) {
    for (const endpoint of own) {
      const serve = createServe(endpoint, shared);
      const handle: typeof serve =
        turnAway === null ? serve : (context) => turnAway(context.request) ?? serve(context);
      for (const method of methodsOf(endpoint)) app.route(method, path, handle, { parse: 'none' });
    }
    // No routes for other methods, unless another path would match them.
    for (const method of shadowed)
      app.route(method, path, ({ request }) => respondToOtherMethod(request), { parse: 'none' });
  }
  if (modules === hubModules && deps.settings.mcp) addMcp(app, stages);
  return app;
}

/**
 * Guards a private hub against what looks local and is not: pages whose own name was pointed at 127.0.0.1 (DNS
 * rebinding), and proxies that the settings do not name.
 * @returns a check that throws invalid_host; null on a public hub, which trusts no address and serves every name
 */
function createCheckOrigin({
  settings,
  rules,
  proxies,
}: Pick<ApiDeps, 'settings' | 'rules' | 'proxies'>): ((request: Request) => void) | null {
  if (settings.isPublic) return null;
  return (request) => {
    const own = { baseUrl: rules.baseUrl, corsOrigins: settings.corsOrigins };
    // A request that is not served changes nothing. One without a host is a sign itself: browsers always send a host.
    const host = request.headers.get('host');
    const name = host === null ? null : hostNameOf(host);
    if (name !== null && !isLoopbackName(name) && name !== hostNameInUrl(own.baseUrl)) {
      throw new DomainError('invalid_host', 'This private hub does not serve this host name.', {
        hint: `Use ${own.baseUrl}. The operator can serve another name by setting BASE_URL.`,
      });
    }
    if (proxies.isProxied()) return;
    const sign = signOfProxy(request, own);
    if (sign !== null) proxies.report(sign);
  };
}

interface Path {
  /** With parameters, such as `/v1/agents/:handle`. */
  readonly path: string;
  readonly pattern: RegExp;
  readonly stages: Stages;
  /** Whether it is a page for people. */
  readonly isPage: boolean;
  readonly endpoints: readonly Endpoint[];
  /** Methods that the router would route to another path. */
  readonly shadowed: readonly string[];
  /** The response to a request that the router should not have routed here, or null. Null if it never does. */
  readonly turnAway: ((request: Request) => Promise<Response> | null) | null;
  /** The response to a method that the path does not support. */
  readonly respondToOtherMethod: (request: Request) => Promise<Response>;
}

/** In the order in which the router matches them. */
function pathsOf(endpoints: readonly Endpoint[], shared: Stages): readonly Path[] {
  const known = endpoints.filter(({ hidden }) => hidden !== true);
  const patterns = [...new Set(endpoints.map(({ path }) => path))]
    .toSorted((one, other) => (literalsFirst(one) < literalsFirst(other) ? -1 : 1))
    .map((path) => [path, patternOf(path)] as const);
  return patterns.map(([path, pattern]) => {
    const own = endpoints.filter((endpoint) => endpoint.path === path);
    const others = patterns.filter(([other]) => other !== path && other.includes(':'));
    const wide = others.filter(([, one]) => one.test(path)).map(([other]) => other);
    const shadowing = endpoints.filter((endpoint) => wide.includes(endpoint.path));
    return createPath({ path, pattern, endpoints: own, known, shadowing }, shared);
  });
}

interface PathParts extends Pick<Path, 'path' | 'pattern' | 'endpoints'> {
  /** The endpoints that errors may name. */
  readonly known: readonly Endpoint[];
  /** Those of wider paths: GET of `/v1/agents/register` matches `/v1/agents/:handle`. */
  readonly shadowing: readonly Endpoint[];
}

function createPath({ path, pattern, endpoints, known, shadowing }: PathParts, shared: Stages): Path {
  // Pages of other origins never see operator endpoints, even if CORS_ORIGINS lists them.
  const stages = endpoints.some(({ auth }) => auth === 'operator') ? { ...shared, cors: null } : shared;
  const allow = allowedMethods(endpoints);
  const isPage = endpoints.every(({ hidden }) => hidden === true) && !isProgramPath(path);
  const meantBy = (request: Request) =>
    suggestEndpoints(request.method, requestTargetOf(request).path, known).join(' or ');
  for (const endpoint of endpoints) checkDeclaration(endpoint);
  const served = endpoints.flatMap(methodsOf);
  invariant(new Set(served).size === served.length, `${path} declares a method twice.`);
  const respondMethodNotAllowed = async (request: Request): Promise<Response> => {
    const response = await respondWithError(
      request,
      methodNotAllowed(request.method, allow, meantBy(request)),
      stages,
    );
    response.headers.set('allow', allow);
    return response;
  };
  const turnAway = (request: Request): Promise<Response> | null => {
    const target = requestTargetOf(request);
    // Without a `Host` header, the router takes `/v1/health/` for the home page.
    if (path === '/' && target.path !== path)
      return respondWithError(request, notFound(request, target, []), stages);
    if (request.method === 'POST' && looksLikeApi(request, target.path))
      return respondWithError(request, formsOnly(meantBy(request)), stages);
    return null;
  };
  return {
    path,
    pattern,
    stages,
    isPage,
    endpoints,
    shadowed: [...new Set(shadowing.flatMap(methodsOf))].filter((method) => !served.includes(method)),
    turnAway: isPage ? turnAway : null,
    respondToOtherMethod: (request) =>
      request.method === 'OPTIONS'
        ? respondToOptions(request, allow, stages)
        : respondMethodNotAllowed(request),
  };
}

function methodsOf({ method }: Endpoint): readonly string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
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

function notFound(request: Request, { path }: RequestTarget, paths: readonly Path[]): DomainError {
  if (path.includes('#')) {
    return new DomainError(
      'invalid_parameter',
      'The path must not contain `#`; remove the fragment, or encode the character as %23.',
    );
  }
  if (path === '/.well-known/agent-card.json') {
    return new DomainError('not_found', 'The hub is no A2A agent, so it has no agent card.', {
      hint: 'GET /.well-known/agent.json says what it is and what it can do.',
    });
  }
  const isForApi = looksLikeApi(request, path);
  const known = paths.flatMap(({ isPage, endpoints, path: own }): readonly Known[] => {
    if (isPage) return isForApi ? [] : [{ method: null, path: own }];
    return endpoints.filter(({ hidden }) => hidden !== true);
  });
  const meant = suggestEndpoints(request.method, path, known);
  return new DomainError('not_found', 'No endpoint has this path.', {
    hint: `${meant.length === 0 ? '' : `Did you mean ${meant.join(' or ')}? `}GET /skill.md explains the hub to agents; all endpoints are listed at GET /docs (for people) and GET /openapi.json (for programs).`,
  });
}

/** @param meant endpoints that the caller may have meant */
function methodNotAllowed(method: string, allow: string, meant: string): DomainError {
  const message = `This path does not support ${method}; it supports ${allow}.`;
  const { advice } = errorTable.method_not_allowed;
  return new DomainError('method_not_allowed', message, {
    hint: meant === '' ? advice : `${advice} Did you mean ${meant}?`,
  });
}

/** A program has sent JSON to a page for people. */
function formsOnly(meant: string): DomainError {
  const message =
    'This is a page for people, and its forms have the type `application/x-www-form-urlencoded`. Programs use the API.';
  return new DomainError('unsupported_media_type', message, {
    hint: `${meant === '' ? '' : `Did you mean ${meant}? `}GET /skill.md explains the API.`,
  });
}
