/**
 * The operator endpoints of a worker process: `/livez`, `/readyz` and `/metrics`. Access rules and response
 * formats are those of the API, so that probes and scrapers need one configuration. It accepts no writes and
 * no bodies.
 */
import { freezeOf } from '#db/transaction.ts';
import { timingSafeEqual } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Database } from '#db/database.ts';
import { createReadiness } from '#domain/check-readiness.ts';
import {
  countedNetworks,
  createClientAddressReader,
  hashNetwork,
} from '#runtime/inbound-http/client-address.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { metricsContentType, renderMetrics } from '#runtime/tracing/metrics.ts';
import {
  hasCredentials,
  looksLocal,
  operatorChallenge,
  operatorKeyOf,
} from '#runtime/inbound-http/operator-access.ts';
import type { ProxyWatch } from '#runtime/inbound-http/proxy-watch.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import { probeOfRedis } from '#runtime/redis/try-write.ts';
import { type Limits, limitsNow, type Settings } from '#runtime/settings/settings.ts';
import { StartError } from '#runtime/process/start-error.ts';

type OwnLimits = Pick<Limits, 'registrationsPerMinute'>;

export interface OperatorServerOptions {
  readonly settings: Pick<
    Settings,
    | 'host'
    | 'baseUrl'
    | 'corsOrigins'
    | 'isPublic'
    | 'operatorKey'
    | 'trustedProxies'
    | 'registrationsPerMinute'
    | 'behindProxy'
  >;
  readonly proxies: Pick<ProxyWatch, 'isProxied'>;
  /** 0 picks a free port. */
  readonly port: number;
  readonly db: Database;
  readonly redis: Redis;
  readonly logger: Logger;
}

export interface OperatorServer {
  /** Without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

/** Window of the limit on wrong keys. */
const wrongKeyWindowSeconds = 60;

/** Programs on this machine may read these without the key. */
const barePaths = new Set(['/livez', '/readyz']);

/** @param isOperator whether the request had the operator key */
type Handler = (isOperator: boolean) => Promise<Response> | Response;

/** @throws StartError when the port is taken */
export function listenForOperators({
  settings,
  port,
  db,
  redis,
  proxies,
  logger,
}: OperatorServerOptions): OperatorServer {
  const { host } = settings;
  const checkKey = createRequireKey(settings, proxies);
  const readiness = createReadiness(db, probeOfRedis(redis));
  const handlers: Readonly<Record<string, Handler>> = {
    '/livez': () => Response.json({ live: true }),
    '/readyz': async (isOperator) => {
      const unready = await readiness.check();
      if (unready.length === 0) {
        if (!isOperator) return Response.json({ ready: true });
        const [freeze, warnings] = [await freezeOf(db), await readiness.warnings(new Date())];
        return Response.json({
          ready: true,
          ...(freeze === null ? {} : { frozen_since: freeze.frozenAt.toISOString() }),
          ...(warnings.length === 0 ? {} : { warnings }),
        });
      }
      const failing = unready.map(({ check }) => check);
      const onlyRedis = failing.every((check) => check === 'redis');
      const code = onlyRedis ? 'queue_unavailable' : 'database_unavailable';
      if (!isOperator) return errorResponse(503, code, 'The process is not ready.');
      const message = unready.map((one) => one.message).join(' ');
      return errorResponse(503, code, message, { failing });
    },
    '/metrics': async () =>
      new Response(await renderMetrics(), { headers: { 'content-type': metricsContentType } }),
  };
  const respond = async (request: Request, peer: string): Promise<Response> => {
    const path = /^(?:[a-z]+:\/\/[^/]*)?(\/[^?]*)/i.exec(request.url)?.[1] ?? '';
    // Without details, because a proxy may hide that it is one.
    const isBare = barePaths.has(path) && !hasCredentials(request) && looksLocal(request, peer, settings);
    const refusal = isBare ? null : await checkKey(request, peer);
    if (refusal !== null) return refusal;
    const handler = Object.hasOwn(handlers, path) ? handlers[path] : undefined;
    if (handler === undefined)
      return errorResponse(404, 'not_found', 'This port serves only /livez, /readyz and /metrics.');
    if (request.method !== 'GET') return errorResponse(405, 'method_not_allowed', 'Use GET.');
    return handler(!isBare);
  };
  const server = serve(host, port, async (request, peer) => {
    try {
      return await respond(request, peer);
    } catch (err) {
      logger.error({ err }, 'an operator request failed');
      return errorResponse(
        500,
        'internal_error',
        'Something went wrong inside the worker. The error was logged.',
      );
    }
  });
  return { url: server.url.href.replace(/\/$/, ''), close: () => server.stop() };
}

function serve(
  hostname: string,
  port: number,
  respond: (request: Request, peer: string) => Promise<Response>,
): Bun.Server<undefined> {
  try {
    return Bun.serve({
      hostname,
      port,
      reusePort: false,
      development: false,
      fetch: async (request, own) =>
        withHeaders(await respond(request, own.requestIP(request)?.address ?? '')),
    });
  } catch (cause) {
    throw new StartError(`Cannot listen on ${hostname}, port ${port}. Choose another --metrics-port.`, {
      cause,
    });
  }
}

type AccessCheck = (request: Request, peer: string) => Promise<Response | null> | Response | null;

/**
 * Wrong keys are limited per network, as in the API, because a key chosen by a person can be guessed. Each
 * process counts on its own.
 */
function createRequireKey(
  settings: OperatorServerOptions['settings'],
  proxies: Pick<ProxyWatch, 'isProxied'>,
): AccessCheck {
  const { operatorKey, trustedProxies } = settings;
  if (operatorKey === null) {
    return () =>
      errorResponse(
        403,
        'operator_only',
        'This hub has no operator key. Set OPERATOR_KEY to open this port.',
      );
  }
  const expected = Bun.SHA256.hash(operatorKey);
  const readClientAddress = createClientAddressReader(trustedProxies);
  const wrongKeys = new RateLimiterMemory({ points: 1, duration: wrongKeyWindowSeconds });
  const limit = (): number => limitsNow<OwnLimits>(settings, proxies).registrationsPerMinute;
  return async (request, peer) => {
    const given = operatorKeyOf(request);
    if (given === null)
      return errorResponse(401, 'missing_token', 'Send the operator key as a bearer token.');
    const clientAddress = readClientAddress(peer, request.headers.get('x-forwarded-for'));
    const networks = countedNetworks(hashNetwork(operatorKey, clientAddress));
    // Applies to the right key too; otherwise the response would reveal that the key is right.
    for (const { network, times } of limit() === 0 ? [] : networks) {
      const counted = await wrongKeys.get(network);
      if (counted !== null && counted.consumedPoints >= limit() * times)
        return rateLimited(counted.msBeforeNext / 1_000);
    }
    // Digests have equal length, and comparing them takes the same time for every key.
    if (timingSafeEqual(Bun.SHA256.hash(given), expected)) return null;
    for (const { network } of networks) await wrongKeys.penalty(network);
    return errorResponse(401, 'invalid_token', 'The operator key is not valid.');
  };
}

function rateLimited(seconds: number): Response {
  const message = 'Too many wrong keys from your network. Wait for the number of seconds in `Retry-After`.';
  const response = errorResponse(429, 'rate_limited', message);
  response.headers.set('retry-after', String(Math.max(1, Math.ceil(seconds))));
  return response;
}

function errorResponse(status: number, error: string, message: string, more: object = {}): Response {
  const requestId = Bun.randomUUIDv7();
  const response = Response.json({ error, message, ...more, request_id: requestId }, { status });
  response.headers.set('x-request-id', requestId);
  if (status === 401) {
    response.headers.set('www-authenticate', operatorChallenge(error === 'invalid_token'));
  }
  return response;
}

function withHeaders(response: Response): Response {
  response.headers.set('cache-control', 'no-store');
  response.headers.set('x-content-type-options', 'nosniff');
  return response;
}
