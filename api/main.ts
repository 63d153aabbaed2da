/** The API process: reads the settings, opens the stores, listens, and shuts down in order. */
import packageJson from '../package.json' with { type: 'json' };
import { createActorClient } from '#actors/actor-client.ts';
import type { DatabaseSetting as OpenableDatabase } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import type { Ctx } from '#domain/context.ts';
import { hubRulesOf } from '#domain/hub-rules.ts';
import { followSettings } from '#domain/settings/follow-settings.ts';
import { mailPolicies } from '#domain/mail/mail-limits.ts';
import { systemClock } from '#runtime/clock.ts';
import { openPlace } from '#domain/place/open-place.ts';
import { createPlaceGraders } from '#domain/place/place-graders.ts';
import { createJudges } from '#domain/runs/grading/judges.ts';
import { createSuiteChecker } from '#domain/suites/suite-checker.ts';
import { userAgentOf } from '#runtime/guarded-http/user-agent.ts';
import { createClientDocumentPolicy, createTargetPolicy } from '#runtime/guarded-http/target-policy.ts';
import { createProxyWatch, noProxyWatch } from '#runtime/inbound-http/proxy-watch.ts';
import { createJobPublisher } from '#runtime/jobs/job-publisher.ts';
import { describeExposure } from '#runtime/settings/describe-exposure.ts';
import { loadOperatorKey } from '#runtime/settings/load-operator-key.ts';
import { loadSecretKey } from '#runtime/settings/load-secret-key.ts';
import { logCrashes } from '#runtime/process/log-crashes.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { watchProcess } from '#runtime/tracing/process-metrics.ts';
import { connectProducer, connectSubscriber } from '#runtime/redis/redis.ts';
import { awaitRedis } from '#runtime/redis/try-write.ts';
import { parseSettings, type Settings } from '#runtime/settings/settings.ts';
import { announceReady, createShutdown } from '#runtime/process/shutdown.ts';
import { listenToSignals } from '#runtime/redis/signals.ts';
import { createTargetSlots } from '#runtime/turns/target-slots.ts';
import { startCommand } from '#runtime/project-files.ts';
import { StartError, startOrExplain } from '#runtime/process/start-error.ts';
import { openTracing } from '#runtime/tracing/tracing.ts';
import { buildApp } from './app.ts';
import type { ApiDeps } from './deps.ts';
import { listen } from './listen.ts';
import { createTokenUsage } from '#domain/agents/token-bearers.ts';
import { createBalanceBatcher } from '#domain/tokens/read-balances.ts';
import { databasePending } from './demo-mode.ts';
import { createCheckoutClient } from './checkout-client.ts';
import { createOpenStreams } from './streams/open-streams.ts';
import { createReadTurns } from './access/read-turns.ts';
import { createCachedPages } from './site/cached-pages.ts';
import { createIssuerDocuments } from './issuer-documents.ts';
import { createClientDocuments } from './oauth/client-documents.ts';
import { createProbes } from './probes.ts';
import { operationRoutes } from './operation/routes.ts';

/** How long the start waits for Redis. Without Redis the hub still serves most requests. */
const redisWaitMs = 5_000;
/** Lets a worker that was stopped at the last moment report its outcome. */
const deliveryGraceMs = 1_000;
/** How long shutdown waits for requests in flight. */
const drainTimeoutMs = 10_000;
const closeTimeoutMs = 3_000;
/** Replies that wait to be graded, of which one request has up to eight, and suites that wait to be checked. */
const placeWaitingMax = { ofAgent: 32, all: 256 };

function readSettings() {
  const settings = parseSettings(process.env);
  return { settings, stores: storesOf(settings) };
}

/** Null means demo mode, which needs neither store. */
function storesOf({ database, redisUrl }: Settings): Stores | null {
  if (database.kind === 'none') return null;
  if (redisUrl !== null) return { database, redisUrl };
  throw new StartError(
    `REDIS_URL is not set. \`${startCommand}\` runs a Redis for all processes of the hub.`,
    {
      isSetting: true,
    },
  );
}

interface Stores {
  readonly database: OpenableDatabase;
  readonly redisUrl: string;
}

const { settings, stores } = await startOrExplain(readSettings);
const logger = createLogger({ name: 'api' });
logCrashes(logger);
const shutdown = createShutdown({ logger });
watchProcess(packageJson.version, 'api');
const tracing = closing(
  'tracing',
  await openTracing(settings.tracing, { name: 'agent-hub-api', version: packageJson.version }, logger),
);

const connections = await startOrExplain(async () =>
  stores === null ? await openDemo() : await openLive(stores),
);
const { db, publisher, ...connected } = connections;
const followed = closing(
  'settings',
  await startOrExplain(() => followSettings(db, settings, logger, connected.signals)),
);
const ctx: Ctx = {
  db,
  clock: systemClock,
  rules: hubRulesOf(settings, {
    secretKey: connected.secretKey,
    proxies: connections.proxies,
    current: followed.current,
  }),
  publisher,
};
const tokenUsage = closing('token usage', createTokenUsage(ctx, logger));

const operatorKey = await startOrExplain(() => loadOperatorKey(settings));
if (operatorKey === null && !connections.demo) {
  logger.warn('DATA_DIR is not writable and OPERATOR_KEY is not set: the operator pages are closed');
}

const checkout = closing('checkout', createCheckoutClient(settings));

const { redis, secretKey } = connected;
const policy = ctx.rules.targetAddresses;
// A demo calls nobody.
const judges =
  redis === null
    ? null
    : closing('judges', createJudges({ policy, userAgent: userAgentOf(settings), redis, logger, secretKey }));
const place = closing('place', openPlace({ waitingMax: placeWaitingMax }));
const graders = createPlaceGraders({ place, inlineMax: 0, judges });

const deps: ApiDeps = {
  ...ctx,
  ...connected,
  settings: { ...settings, operatorKey },
  logger,
  tracing,
  version: packageJson.version,
  deliveryWaitMs: mailPolicies.contact.giveUpAfterMs + deliveryGraceMs,
  ending: shutdown.signal,
  checkout,
  graders,
  suiteChecker: createSuiteChecker(place),
  tokenUsage,
  balances: createBalanceBatcher(ctx),
  pages: createCachedPages(ctx),
  downloads: createReadTurns('downloads'),
};
const app = buildApp(deps);

if (connections.redis !== null) await awaitRedis(connections.redis, redisWaitMs, logger);
await startOrExplain(listenForOperators);
const { host: hostname, port } = settings;
const sharesPort = settings.apiProcesses > 1;
const server = await startOrExplain(() => listen(app, { hostname, port, sharesPort }));
shutdown.onShutdown('server', () => server.drain(), drainTimeoutMs);
logger.info({ exposure: describeExposure(settings), url: server.url }, 'listening');
announceReady();

/** Is closed when the process shuts down. */
function closing<Opened extends { close(): unknown } | null>(name: string, opened: Opened): Opened {
  shutdown.onShutdown(name, () => opened?.close(), closeTimeoutMs);
  return opened;
}

/** Processes that share a port cannot be scraped individually, so each also listens on a port of its own. */
function listenForOperators(): void {
  const { apiMetricsPort, host } = settings;
  if (apiMetricsPort === null) return;
  const own = listen(buildApp(deps, { modules: [operationRoutes] }), {
    hostname: host,
    port: apiMetricsPort,
    setting: 'API_METRICS_PORT',
  });
  shutdown.onShutdown('operator server', () => own.drain(), closeTimeoutMs);
  logger.info({ metrics: own.url }, 'listening for operators');
}

async function openLive({ database, redisUrl }: Stores) {
  const db = closing('database', await openDatabase(database));
  const redis = connectProducer(redisUrl, logger);
  shutdown.onShutdown('redis', () => redis.disconnect(), closeTimeoutMs);
  const subscriber = connectSubscriber(redisUrl, logger);
  shutdown.onShutdown('subscriber', () => subscriber.disconnect(), closeTimeoutMs);
  const publisher = closing('publisher', createJobPublisher(redis, logger));
  const replies = connectSubscriber(redisUrl, logger);
  shutdown.onShutdown('replies', () => replies.disconnect(), closeTimeoutMs);
  const actors = closing('actors', createActorClient(redis, replies, logger));
  const streams = closing('streams', createOpenStreams(redis, logger));
  const signals = listenToSignals(subscriber);
  const proxies = settings.isPublic
    ? noProxyWatch
    : createProxyWatch({ signal: (topic) => publisher.signal(topic), signals, logger });
  closing('proxy watch', proxies);
  const targetAddresses = createTargetPolicy(settings, proxies);
  const probes = closing('probes', createProbes({ redis, logger, settings, targetAddresses }));
  const slots = closing('target slots', createTargetSlots(redis, logger));
  const loading = { clock: systemClock, logger, slots, userAgent: userAgentOf(settings) };
  const clientDocuments = createClientDocuments({
    ...loading,
    addresses: createClientDocumentPolicy(settings, proxies),
    isPrivate: !settings.isPublic,
  });
  const issuerDocuments = createIssuerDocuments({
    ...loading,
    addresses: targetAddresses,
    hosts: settings.trustedIssuers,
  });
  closing('client documents', clientDocuments);
  closing('issuer documents', issuerDocuments);
  return {
    db,
    demo: false,
    redis,
    probes,
    clientDocuments,
    issuerDocuments,
    publisher,
    actors,
    signals,
    streams,
    proxies,
    secretKey: await loadSecretKey(settings),
  };
}

/** Built-in data in memory and no connections. Nothing is stored, so the secret key may be random. */
async function openDemo() {
  const signals = { follow: () => () => undefined };
  const { openSqliteInMemory } = await import('#db/sqlite.ts');
  const { fillDemo } = await import('#domain/demo/fill-demo.ts');
  return {
    db: await openSqliteInMemory((db) => fillDemo(db, systemClock.now())),
    demo: true,
    redis: null,
    probes: null,
    clientDocuments: null,
    issuerDocuments: null,
    publisher: { publish: () => undefined, signal: () => undefined },
    actors: { ask: () => Promise.reject(databasePending()), close: () => Promise.resolve() },
    signals,
    proxies: settings.isPublic
      ? noProxyWatch
      : createProxyWatch({ signal: () => undefined, signals, logger }),
    streams: { open: () => Promise.reject(databasePending()), close: () => undefined },
    secretKey: settings.secretKey ?? crypto.randomUUID(),
  };
}
