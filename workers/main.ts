/** A worker process: reads the settings, opens the stores and runs the pools named on the command line. */
import packageJson from '../package.json' with { type: 'json' };
import { openDatabase } from '#db/open-database.ts';
import { hubRulesOf } from '#domain/hub-rules.ts';
import { followSettings } from '#domain/settings/follow-settings.ts';
import { systemClock } from '#runtime/clock.ts';
import { configurationExitCode, StartError, startOrExplain } from '#runtime/process/start-error.ts';
import { createJobPublisher } from '#runtime/jobs/job-publisher.ts';
import { logCrashes } from '#runtime/process/log-crashes.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { watchProcess } from '#runtime/tracing/process-metrics.ts';
import { listenToSignals } from '#runtime/redis/signals.ts';
import { createProxyWatch, noProxyWatch, type ProxyWatch } from '#runtime/inbound-http/proxy-watch.ts';
import { loadOperatorKey } from '#runtime/settings/load-operator-key.ts';
import { connectProducer, connectSubscriber } from '#runtime/redis/redis.ts';
import { awaitRedis } from '#runtime/redis/try-write.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { announceReady, createShutdown } from '#runtime/process/shutdown.ts';
import { startCommand } from '#runtime/project-files.ts';
import { openTracing } from '#runtime/tracing/tracing.ts';
import { parseWorkerArguments, type WorkerArguments, WorkerArgumentsError, workerHelp } from './arguments.ts';
import { drainTimeoutMs, type RunningPool } from './pool.ts';
import { pools } from './pool-registry.ts';

const closeTimeoutMs = 3_000;
const redisWaitMs = 10_000;
/** Workers read few rows twice, so larger caches would only fill up. */
const sqliteCacheKib = 4_000;

function readArguments(): WorkerArguments {
  try {
    const words = parseWorkerArguments(process.argv.slice(2));
    if (words !== null) return words;
    process.stdout.write(workerHelp);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof WorkerArgumentsError)) throw error;
    process.stderr.write(`${error.message}\n\n${workerHelp}`);
    process.exit(configurationExitCode);
  }
}

function readSettings() {
  const settings = parseSettings(process.env);
  const { database, redisUrl } = settings;
  if (database.kind === 'none') {
    throw new StartError('DATABASE_URL is `none`: there are no workers in demo mode.', { isSetting: true });
  }
  if (redisUrl === null) {
    throw new StartError(
      `REDIS_URL is not set. Workers and the API share one Redis; \`${startCommand}\` starts one for all of them.`,
      { isSetting: true },
    );
  }
  return { settings, database, redisUrl };
}

const words = readArguments();
const { settings, database, redisUrl } = await startOrExplain(readSettings);
const logger = createLogger({ name: words.pools.join('+') });
logCrashes(logger);
const shutdown = createShutdown({ logger });
watchProcess(packageJson.version, words.pools.join('+'));
const tracedAs = { name: `agent-hub-${words.pools.join('+')}`, version: packageJson.version };
const tracing = await openTracing(settings.tracing, tracedAs, logger);
shutdown.onShutdown('tracing', () => tracing?.close(), closeTimeoutMs);

const db = await startOrExplain(() => openDatabase(database, sqliteCacheKib));
shutdown.onShutdown('database', () => db.close(), closeTimeoutMs);
const redis = connectProducer(redisUrl, logger);
shutdown.onShutdown('redis', () => redis.disconnect(), closeTimeoutMs);
const publisher = createJobPublisher(redis, logger);
shutdown.onShutdown('publisher', () => publisher.close(), closeTimeoutMs);
await awaitRedis(redis, redisWaitMs, logger);

const proxies = followProxies();
const followed = await startOrExplain(() => followSettings(db, settings, logger));
shutdown.onShutdown('settings', () => followed.close(), closeTimeoutMs);
const ctx = {
  db,
  clock: systemClock,
  rules: hubRulesOf(settings, { proxies, current: followed.current }),
  publisher,
};
const running: RunningPool[] = [];
// At once: one after the other, they could take longer than the supervisor waits.
shutdown.onShutdown('pools', () => Promise.all(running.map((pool) => pool.drain())), drainTimeoutMs);
for (const name of words.pools) {
  const pool = pools[name];
  const start = await pool.load();
  const started = await startOrExplain(() =>
    start({
      ctx,
      publisher,
      logger: logger.child({ pool: name }),
      tracing,
      settings,
      redisUrl,
      redis,
      concurrency: words.concurrency ?? pool.concurrency,
    }),
  );
  running.push(started);
}
if (words.metricsPort !== null) {
  const port = words.metricsPort;
  const { listenForOperators } = await import('./operator-server.ts');
  const server = await startOrExplain(async () => {
    const operatorKey = await loadOperatorKey(settings);
    return listenForOperators({ settings: { ...settings, operatorKey }, port, db, redis, proxies, logger });
  });
  shutdown.onShutdown('operator server', () => server.close(), closeTimeoutMs);
  logger.info({ metrics: server.url }, 'listening for operators');
}
logger.info({ pools: words.pools }, 'working');
announceReady();

/** Workers of a private hub refuse loopback targets as soon as an API process has seen a proxy. */
function followProxies(): ProxyWatch {
  if (settings.isPublic) return noProxyWatch;
  const subscriber = connectSubscriber(redisUrl, logger);
  shutdown.onShutdown('subscriber', () => subscriber.disconnect(), closeTimeoutMs);
  const watch = createProxyWatch({
    signal: (topic) => publisher.signal(topic),
    signals: listenToSignals(subscriber),
    logger,
  });
  shutdown.onShutdown('proxy watch', () => watch.close(), closeTimeoutMs);
  return watch;
}
