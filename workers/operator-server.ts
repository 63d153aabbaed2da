/**
 * What a worker process tells its operators over HTTP: `/livez`, `/readyz` and `/metrics`, under the rules and in the
 * forms of the API (decisions.md section 9). It takes no writes and no bodies.
 */
import { timingSafeEqual } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Database } from '#db/database.ts';
import { checkReadiness } from '#domain/check-readiness.ts';
import { createClientAddressReader, networkOf } from '#runtime/inbound-http/client-address.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { metricsContentType, renderMetrics } from '#runtime/tracing/metrics.ts';
import { createIsLocal, operatorChallenge, operatorKeyOf } from '#runtime/inbound-http/operator-access.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import { StartError } from '#runtime/process/start-error.ts';

export interface OperatorServerOptions {
  readonly settings: Pick<Settings, 'host' | 'operatorKey' | 'trustedProxies' | 'registrationsPerMinute'>;
  /** 0 lets the system choose. */
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

/** For counting wrong keys. */
const windowSeconds = 60;

type Answerer = () => Promise<Response> | Response;

/** @throws StartError when the port is taken */
export function listenForOperators({
  settings,
  port,
  db,
  redis,
  logger,
}: OperatorServerOptions): OperatorServer {
  const { host, operatorKey } = settings;
  const refusalOf =
    operatorKey === null
      ? createRefuseStrangers(settings.trustedProxies)
      : createRequireKey(operatorKey, settings);
  const answerers: Readonly<Record<string, Answerer>> = {
    '/livez': () => Response.json({ live: true }),
    '/readyz': async () => {
      const unready = await checkReadiness(db, () => redis.ping());
      if (unready.length === 0) return Response.json({ ready: true });
      const message = unready.map((one) => one.message).join(' ');
      const failing = unready.map(({ check }) => check);
      return refuse(503, failing.includes('redis') ? 'queue_unavailable' : 'database_unavailable', message, {
        failing,
      });
    },
    '/metrics': async () =>
      new Response(await renderMetrics(), { headers: { 'content-type': metricsContentType } }),
  };
  const answer = async (request: Request, peer: string): Promise<Response> => {
    const refusal = await refusalOf(request, peer);
    if (refusal !== null) return refusal;
    const path = /^(?:[a-z]+:\/\/[^/]*)?(\/[^?]*)/i.exec(request.url)?.[1] ?? '';
    const answerer = Object.hasOwn(answerers, path) ? answerers[path] : undefined;
    if (answerer === undefined)
      return refuse(404, 'not_found', 'There are /livez, /readyz and /metrics here.');
    if (request.method !== 'GET') return refuse(405, 'method_not_allowed', 'Use GET.');
    return answerer();
  };
  const server = serve(host, port, async (request, peer) => {
    try {
      return await answer(request, peer);
    } catch (err) {
      logger.error({ err }, 'an operator’s request failed');
      return refuse(500, 'internal_error', 'Something went wrong inside the worker. It has been logged.');
    }
  });
  return { url: server.url.href.replace(/\/$/, ''), close: () => server.stop() };
}

function serve(
  hostname: string,
  port: number,
  answer: (request: Request, peer: string) => Promise<Response>,
): Bun.Server<undefined> {
  try {
    return Bun.serve({
      hostname,
      port,
      reusePort: false,
      development: false,
      fetch: async (request, own) => dress(await answer(request, own.requestIP(request)?.address ?? '')),
    });
  } catch (cause) {
    throw new StartError(`Port ${port} on ${hostname} cannot be listened on. Give another --metrics-port.`, {
      cause,
    });
  }
}

type Refusal = (request: Request, peer: string) => Promise<Response | null> | Response | null;

/** Wrong keys are counted by network, as at the API, each process for itself: a key that people choose can be guessed. */
function createRequireKey(
  operatorKey: string,
  { trustedProxies, registrationsPerMinute }: OperatorServerOptions['settings'],
): Refusal {
  const expected = Bun.SHA256.hash(operatorKey);
  const readClientAddress = createClientAddressReader(trustedProxies);
  const wrongKeys =
    registrationsPerMinute === 0
      ? null
      : new RateLimiterMemory({ points: registrationsPerMinute, duration: windowSeconds });
  return async (request, peer) => {
    const given = operatorKeyOf(request);
    if (given === null) return refuse(401, 'missing_token', 'Send the operator key as a bearer.');
    const network = networkOf(readClientAddress(peer, request.headers.get('x-forwarded-for')));
    const counted = (await wrongKeys?.get(network)) ?? null;
    // Whatever it sends now, or the right key would be told from the wrong ones.
    if (counted !== null && counted.consumedPoints >= registrationsPerMinute) {
      return refuseForNow(counted.msBeforeNext / 1_000);
    }
    // Digests have one length, and comparing them takes as long for every key.
    if (timingSafeEqual(Bun.SHA256.hash(given), expected)) return null;
    await wrongKeys?.penalty(network);
    return refuse(401, 'invalid_token', 'The operator key is not valid.');
  };
}

function refuseForNow(seconds: number): Response {
  const message = 'Too many wrong keys came from your network. Wait as many seconds as `Retry-After` says.';
  const response = refuse(429, 'rate_limited', message);
  response.headers.set('retry-after', String(Math.max(1, Math.ceil(seconds))));
  return response;
}

function createRefuseStrangers(trustedProxies: readonly string[]): Refusal {
  const isLocal = createIsLocal(trustedProxies);
  return (request, peer) =>
    isLocal(request, peer)
      ? null
      : refuse(
          403,
          'operator_only',
          'Only clients on this machine may see this, unless OPERATOR_KEY is set.',
        );
}

function refuse(status: number, error: string, message: string, more: object = {}): Response {
  const requestId = Bun.randomUUIDv7();
  const response = Response.json({ error, message, ...more, request_id: requestId }, { status });
  response.headers.set('x-request-id', requestId);
  if (status === 401) {
    response.headers.set('www-authenticate', operatorChallenge(error === 'invalid_token'));
  }
  return response;
}

function dress(response: Response): Response {
  response.headers.set('cache-control', 'no-store');
  response.headers.set('x-content-type-options', 'nosniff');
  return response;
}
