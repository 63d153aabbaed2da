/** What all endpoints of an app share, built once from the dependencies. */
import type { Ctx } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { withBaseUrl } from '#domain/hub-rules.ts';
import { createClientAddressReader } from '#runtime/inbound-http/client-address.ts';
import { askedBaseUrl, hostNameInUrl, hostNameOf, isLoopbackName } from '#runtime/inbound-http/host-names.ts';
import { hasCredentials, looksLocal } from '#runtime/inbound-http/operator-access.ts';
import { signOfProxy } from '#runtime/inbound-http/proxy-watch.ts';
import { type AccessStages, createAuthenticate } from './access/authenticate.ts';
import { createRequireInboxKey, createRequireOperator } from './access/key-gate.ts';
import { createRateLimiters } from './access/rate-limits.ts';
import { createReadTurns, type ReadTurns } from './access/read-turns.ts';
import type { ApiDeps } from './deps.ts';
import { type Cors, createCors } from './response/cors.ts';

/** The formats of bodies of several megabytes. */
type LargeBodyFormat = 'document' | 'mail';

export interface Stages extends AccessStages {
  readonly deps: ApiDeps;
  /** Null on a public hub. */
  readonly checkOrigin: CheckOrigin | null;
  readonly searchTurns: ReadTurns;
  /** By the format of the body, for all endpoints together: a suite can be sent to several. */
  readonly largeBodyTurns: Readonly<Record<LargeBodyFormat, ReadTurns>>;
  /** Null if CORS_ORIGINS is empty. */
  readonly cors: Cors | null;
  /**
   * Checks responses against their declarations; for tests, because it costs as much as the response itself.
   */
  readonly checkResponses: boolean;
  /** The address of the TCP connection, which may be a proxy's. */
  readonly peerOf: (request: Request) => string;
  /** The paths of lists, which errors about an id name. */
  readonly listPaths: ReadonlySet<string>;
}

interface StagesOptions {
  /** The address of the TCP connection. */
  readonly peerOf: (request: Request) => string;
  readonly checkResponses: boolean;
  readonly rateLimitTimeoutMs: number;
  readonly listPaths: ReadonlySet<string>;
}

export function createStages(
  deps: ApiDeps,
  { peerOf, checkResponses, rateLimitTimeoutMs, listPaths }: StagesOptions,
): Stages {
  const readClientAddress = createClientAddressReader(deps.settings.trustedProxies);
  const limiters = createRateLimiters(deps, rateLimitTimeoutMs);
  return {
    deps,
    ctxOf: createCtxReader(deps),
    authenticate: createAuthenticate(deps, 'api'),
    requireOperator: createRequireOperator(deps, limiters.wrongKeys),
    checkOrigin: createCheckOrigin(deps),
    isFromMachine: (request) =>
      !hasCredentials(request) &&
      looksLocal(request, peerOf(request), {
        baseUrl: deps.rules.baseUrl,
        corsOrigins: deps.settings.corsOrigins,
      }),
    requireInboxKey: createRequireInboxKey(deps.settings.inboxKey, limiters.wrongKeys),
    limiters,
    searchTurns: createReadTurns('searches'),
    largeBodyTurns: { document: createReadTurns('documents'), mail: createReadTurns('emails') },
    cors: createCors(deps.settings.corsOrigins),
    checkResponses,
    peerOf,
    listPaths,
    clientAddressOf: (request) => readClientAddress(peerOf(request), request.headers.get('x-forwarded-for')),
  };
}

function createCtxReader({ db, clock, rules, publisher }: ApiDeps): Stages['ctxOf'] {
  const ctx: Ctx = { db, clock, rules, publisher };
  return (request) => {
    const baseUrl = askedBaseUrl(rules.baseUrl, request);
    return baseUrl === rules.baseUrl ? ctx : { ...ctx, rules: withBaseUrl(rules, baseUrl) };
  };
}

/** @throws DomainError invalid_host */
type CheckOrigin = (request: Request) => void;

/**
 * Guards a private hub against what looks local and is not: pages whose own name was pointed at 127.0.0.1 (DNS
 * rebinding), and proxies that the settings do not name.
 * @returns null on a public hub, which trusts no address and serves every name
 */
function createCheckOrigin({
  settings,
  rules,
  proxies,
}: Pick<ApiDeps, 'settings' | 'rules' | 'proxies'>): CheckOrigin | null {
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
