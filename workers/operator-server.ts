/**
 * The operator endpoints of a worker process: `/livez`, `/readyz` and `/metrics`. Access rules and response
 * formats are those of the API, so that probes and scrapers need one configuration. It accepts no writes and
 * no bodies.
 */
import { timingSafeEqual } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Database } from '#db/database.ts';
import { checkReadiness } from '#domain/check-readiness.ts';
import { createClientAddressReader, networkOf } from '#runtime/inbound-http/client-address.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { metricsContentType, renderMetrics } from '#runtime/tracing/metrics.ts';
import { isLocalRequest, operatorChallenge, operatorKeyOf } from '#runtime/inbound-http/operator-access.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import { StartError } from '#runtime/process/start-error.ts';

export interface OperatorServerOptions {
  readonly settings: Pick<
    Settings,
    'host' | 'isPublic' | 'operatorKey' | 'trustedProxies' | 'registrationsPerMinute'
  >;
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

type Handler = () => Promise<Response> | Response;

/** @throws StartError when the port is taken */
export function listenForOperators({
  settings,
  port,
  db,
  redis,
  logger,
}: OperatorServerOptions): OperatorServer {
  const { host, operatorKey } = settings;
  const checkAccess =
    operatorKey === null ? createAllowLocal(settings.isPublic) : createRequireKey(operatorKey, settings);
  const handlers: Readonly<Record<string, Handler>> = {
    '/livez': () => Response.json({ live: true }),
    '/readyz': async () => {
      const unready = await checkReadiness(db, () => redis.ping());
      if (unready.length === 0) return Response.json({ ready: true });
      const message = unready.map((one) => one.message).join(' ');
      const failing = unready.map(({ check }) => check);
      return errorResponse(
        503,
        failing.includes('redis') ? 'queue_unavailable' : 'database_unavailable',
        message,
        {
          failing,
        },
      );
    },
    '/metrics': async () =>
      new Response(await renderMetrics(), { headers: { 'content-type': metricsContentType } }),
  };
  const respond = async (request: Request, peer: string): Promise<Response> => {
    const refusal = await checkAccess(request, peer);
    if (refusal !== null) return refusal;
    const path = /^(?:[a-z]+:\/\/[^/]*)?(\/[^?]*)/i.exec(request.url)?.[1] ?? '';
    const handler = Object.hasOwn(handlers, path) ? handlers[path] : undefined;
    if (handler === undefined)
      return errorResponse(404, 'not_found', 'This port serves only /livez, /readyz and /metrics.');
    if (request.method !== 'GET') return errorResponse(405, 'method_not_allowed', 'Use GET.');
    return handler();
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
  operatorKey: string,
  { trustedProxies, registrationsPerMinute }: OperatorServerOptions['settings'],
): AccessCheck {
  const expected = Bun.SHA256.hash(operatorKey);
  const readClientAddress = createClientAddressReader(trustedProxies);
  const wrongKeys =
    registrationsPerMinute === 0
      ? null
      : new RateLimiterMemory({ points: registrationsPerMinute, duration: wrongKeyWindowSeconds });
  return async (request, peer) => {
    const given = operatorKeyOf(request);
    if (given === null)
      return errorResponse(401, 'missing_token', 'Send the operator key as a bearer token.');
    const network = networkOf(readClientAddress(peer, request.headers.get('x-forwarded-for')));
    const counted = (await wrongKeys?.get(network)) ?? null;
    // Applies to the right key too; otherwise the response would reveal that the key is right.
    if (counted !== null && counted.consumedPoints >= registrationsPerMinute) {
      return rateLimited(counted.msBeforeNext / 1_000);
    }
    // Digests have equal length, and comparing them takes the same time for every key.
    if (timingSafeEqual(Bun.SHA256.hash(given), expected)) return null;
    await wrongKeys?.penalty(network);
    return errorResponse(401, 'invalid_token', 'The operator key is not valid.');
  };
}

function rateLimited(seconds: number): Response {
  const message = 'Too many wrong keys from your network. Wait for the number of seconds in `Retry-After`.';
  const response = errorResponse(429, 'rate_limited', message);
  response.headers.set('retry-after', String(Math.max(1, Math.ceil(seconds))));
  return response;
}

function createAllowLocal(isPublic: boolean): AccessCheck {
  return (request, peer) => {
    if (isPublic)
      return errorResponse(
        403,
        'operator_only',
        'This is a public hub. Set OPERATOR_KEY to allow access to this port.',
      );
    if (isLocalRequest(request, peer)) return null;
    const message = 'Only clients on this machine may read this. Set OPERATOR_KEY to allow others.';
    return errorResponse(403, 'operator_only', message);
  };
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
