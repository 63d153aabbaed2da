/** Runs the hub's API in tests: HTTP on a free port, over a given store and a Redis of its own. */
import { openPlace } from '#domain/place/open-place.ts';
import { createPlaceGraders } from '#domain/place/place-graders.ts';
import { createSuiteChecker } from '#domain/suites/suite-checker.ts';
import { createActorClient } from '#actors/actor-client.ts';
import { type AppOptions, buildApp } from '#api/app.ts';
import type { ApiDeps, ApiSettings } from '#api/deps.ts';
import { listen } from '#api/listen.ts';
import { operationsOf } from '#api/plugins/operations.ts';
import { createTokenUsage } from '#domain/agents/token-bearers.ts';
import { createBalanceBatcher } from '#domain/tokens/read-balances.ts';
import { createCheckoutClient } from '#api/checkout-client.ts';
import { createOpenStreams } from '#api/streams/open-streams.ts';
import { createReadTurns } from '#api/access/read-turns.ts';
import { createCachedPages } from '#api/site/cached-pages.ts';
import { createIssuerDocuments } from '#api/issuer-documents.ts';
import { createClientDocuments } from '#api/oauth/client-documents.ts';
import { createProbes } from '#api/probes.ts';
import type { Database } from '#db/database.ts';
import type { Ctx } from '#domain/context.ts';
import type { HubRules } from '#domain/hub-rules.ts';
import type { JobNotice, JobPublisher } from '#domain/jobs/job-kinds.ts';
import { createAddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createLogger, type Logger } from '#runtime/tracing/log.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { connectProducer, connectSubscriber, isReadyWithin, type Redis } from '#runtime/redis/redis.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { listenToSignals } from '#runtime/redis/signals.ts';
import { createTargetSlots } from '#runtime/turns/target-slots.ts';
import type { Tracing } from '#runtime/tracing/tracing.ts';
import { createTestAgent, type TestAgent, type TestAgentOptions } from './agents.ts';
import { createTestClock, type TestClock } from './clock.ts';
import { holdToDocument } from './documented-answers.ts';
import { testRules } from './rules.ts';
import { testOperatorKey, testSecretKey } from './secret-key.ts';
import { noProxyWatch, type ProxyWatch } from '#runtime/inbound-http/proxy-watch.ts';
import { startTestRedis } from './redis.ts';
import { openScratchStore } from './stores.ts';
import { useStarted } from './use-started.ts';

export interface TestHubOptions {
  /** From `forEachStore` or `openScratchStore`; a SQLite store of its own by default. */
  readonly store?: { readonly db: Database };
  /** By default the hub is public, nothing is rate limited, and only the operator key is set. */
  readonly settings?: Partial<ApiSettings>;
  readonly rules?: Partial<HubRules>;
  /** The hub's own by default. */
  readonly modules?: AppOptions['modules'];
  /** A Redis to share; a new one by default. */
  readonly redisUrl?: string;
  /** By default only the cause of a 500 is shown, beside the test. */
  readonly logger?: Logger;
  readonly tracing?: Tracing;
  readonly clock?: TestClock;
  /** How long a request waits for Redis to count it; by default long enough for a busy machine. */
  readonly rateLimitTimeoutMs?: number;
  /** By default jobs are only recorded. */
  readonly publisher?: JobPublisher;
  /** How long a contact request waits for delivery; by default longer than any test. */
  readonly deliveryWaitMs?: number;
  /** False skips the check of responses against the declaration and the document, for tests under load. */
  readonly checkResponses?: boolean;
  /** If true, BASE_URL is the address on which the hub listens. */
  readonly ownBaseUrl?: boolean;
  /** By default nothing watches for proxies. */
  readonly proxies?: ProxyWatch;
  /** PEM certificates that the hub trusts when it loads documents of OAuth clients and other hubs. */
  readonly tlsAuthorities?: readonly string[];
  /** Hosts of other hubs whose credentials the hub verifies by itself. */
  readonly trustedIssuers?: readonly string[];
  /** The store contains the demo. */
  readonly demo?: boolean;
  /** How much may wait to be graded or checked; by default as much as in the API. */
  readonly placeWaitingMax?: { readonly ofAgent: number; readonly all: number };
  /** If true, nothing can be graded or checked. */
  readonly isPlaceClosed?: boolean;
}

export type TestHub = Awaited<ReturnType<typeof startTestHub>>;

export interface TestRequest extends Omit<RequestInit, 'headers'> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string | undefined;
  readonly json?: unknown;
}

/** A response that has been read completely. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; null if it is not JSON. Untyped for tests. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test that expects a field fails if it is not there
  readonly body: any;
}

const redisReadyMs = 5000;

/** Of a 500. Unlike a 503, it is a fault of the hub in nearly every test. */
const causesOnConsole = {
  write: (line: string): void => {
    const { status, method, route, err } = JSON.parse(line);
    if (status === 500) console.error(`500 of ${method} ${route}: ${err?.message}\n${err?.stack}`);
  },
};
const patientMs = 20_000;
const deliveryWaitMs = 60_000;

const unlimited = {
  registrationsPerMinute: 0,
  writesPerMinute: 0,
  readsPerMinute: 0,
  searchesPerMinute: 0,
};
const openSettings: ApiSettings = {
  ...parseSettings({ BASE_URL: 'https://hub.test' }),
  ...unlimited,
  operatorKey: testOperatorKey,
};

export async function startTestHub(options: TestHubOptions = {}) {
  const ownStore = options.store === undefined ? await openScratchStore('sqlite') : null;
  const { db } = options.store ?? ownStore!;
  const ownRedis = options.redisUrl === undefined ? await startTestRedis() : null;
  const redisUrl = options.redisUrl ?? ownRedis?.url ?? '';
  const logger =
    options.logger ?? createLogger({ name: 'test', level: 'error', destination: causesOnConsole });
  const redis = connectProducer(redisUrl, logger);
  const subscriber = connectSubscriber(redisUrl, logger);
  const answers = connectSubscriber(redisUrl, logger);
  const actors = createActorClient(redis, answers, logger);
  await isReadyWithin(redis, redisReadyMs);
  const clock = options.clock ?? createTestClock();
  const published: JobNotice[] = [];
  const ending = new AbortController();
  const rules: HubRules & { baseUrl: string } = testRules({
    targetAddresses: createAddressPolicy(['loopback']),
    secretKey: testSecretKey,
    ...options.rules,
  });
  const ctx: Ctx = {
    db,
    clock,
    rules,
    publisher: options.publisher ?? {
      publish: (notices) => void published.push(...notices),
      signal: (topic) => void redis.publish(redisNames.signalChannel, topic).catch(() => undefined),
    },
  };
  const settings = { ...openSettings, ...options.settings };
  const place = openPlace({ waitingMax: options.placeWaitingMax ?? { ofAgent: 32, all: 256 } });
  if (options.isPlaceClosed === true) place.close();
  const graders = createPlaceGraders({ place, inlineMax: 0, judges: null });
  const slots = createTargetSlots(redis, logger);
  const loading = {
    clock,
    logger,
    addresses: rules.targetAddresses,
    slots,
    userAgent: 'agent-hub-test',
    ...(options.tlsAuthorities === undefined ? {} : { tlsAuthorities: options.tlsAuthorities }),
  };
  const deps: ApiDeps & { readonly redis: Redis } = {
    ...ctx,
    settings,
    demo: options.demo ?? false,
    redis,
    logger,
    tracing: options.tracing ?? null,
    version: '0.0.0-test',
    secretKey: testSecretKey,
    proxies: options.proxies ?? noProxyWatch,
    deliveryWaitMs: options.deliveryWaitMs ?? deliveryWaitMs,
    checkout: createCheckoutClient(settings),
    probes: createProbes({
      redis,
      logger,
      settings: {
        evalCallTimeoutMs: patientMs,
        isPublic: options.settings?.isPublic ?? false,
        consentedHosts: [],
        baseUrl: rules.baseUrl,
      },
      targetAddresses: rules.targetAddresses,
    }),
    clientDocuments: createClientDocuments({ ...loading, isPrivate: !settings.isPublic }),
    issuerDocuments: createIssuerDocuments({ ...loading, hosts: options.trustedIssuers ?? [] }),
    ending: ending.signal,
    graders,
    suiteChecker: createSuiteChecker(place),
    tokenUsage: createTokenUsage(ctx, logger),
    balances: createBalanceBatcher(ctx),
    pages: createCachedPages(ctx),
    downloads: createReadTurns('downloads'),
    actors,
    signals: listenToSignals(subscriber),
    streams: createOpenStreams(redis, logger),
  };
  const app = buildApp(deps, {
    checkResponses: options.checkResponses ?? true,
    rateLimitTimeoutMs: options.rateLimitTimeoutMs ?? patientMs,
    ...(options.modules === undefined ? {} : { modules: options.modules }),
  });
  const server = listen(app, { hostname: '127.0.0.1', port: 0 });
  const { url, port } = server;
  if (options.ownBaseUrl === true) rules.baseUrl = url;
  const hold =
    options.checkResponses === false ? null : holdToDocument(options.modules?.flatMap(operationsOf));
  const closed = [deps.tokenUsage, deps.checkout, deps.probes, deps.clientDocuments, deps.issuerDocuments];
  return {
    /** Without a trailing slash. */
    url,
    port,
    redisUrl,
    clock,
    ctx,
    db,
    deps,
    /** The jobs published so far. */
    published,
    /** `json` becomes the body, `token` the bearer token. */
    fetch: async (path: string, request: TestRequest = {}): Promise<TestResponse> => {
      const answer = await call(url + path, request);
      const method = request.method ?? (request.json === undefined ? 'GET' : 'POST');
      hold?.(method, new URL(url + path).pathname, answer);
      return answer;
    },
    close: async () => {
      ending.abort();
      await server.close();
      for (const one of [...closed, slots, place, deps.streams, actors]) await one?.close();
      for (const connection of [answers, redis, subscriber]) connection.disconnect();
      await ownRedis?.stop();
      await ownStore?.remove();
    },
    async [Symbol.asyncDispose](this: { close(): Promise<void> }) {
      await this.close();
    },
  };
}

/** A hub for the tests of a file or a group. Use it in tests and hooks only: it starts before and ends after them. */
export function useTestHub(options: TestHubOptions = {}): TestHub {
  return useStarted(
    () => startTestHub(options),
    (hub) => hub.close(),
  );
}

/** Another process of a hub, for the tests of a file or a group: it shares the store, the Redis and the clock. */
export function useProcessOf(hub: TestHub, options: TestHubOptions = {}): TestHub {
  return useStarted(
    () => startTestHub({ store: hub, redisUrl: hub.redisUrl, clock: hub.clock, ...options }),
    (other) => other.close(),
  );
}

export function useTestAgent(hub: TestHub, options: TestAgentOptions = {}): TestAgent {
  return useStarted(
    () => createTestAgent(hub.ctx, options),
    async () => undefined,
  );
}

async function call(url: string, { token, json, headers, ...request }: TestRequest): Promise<TestResponse> {
  const response = await fetch(url, {
    redirect: 'manual',
    ...request,
    ...(json === undefined ? {} : { method: request.method ?? 'POST', body: JSON.stringify(json) }),
    headers: {
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
  const text = await response.text();
  const isJson = text !== '' && (response.headers.get('content-type') ?? '').startsWith('application/json');
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
}
