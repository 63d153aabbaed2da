/** The API process: reads the settings, opens the stores, listens, and ends in order. */
import packageJson from '../package.json' with { type: 'json' };
import { createActorClient } from '#actors/actor-client.ts';
import { openDatabase } from '#db/open-database.ts';
import type { Ctx } from '#domain/context.ts';
import { hubRulesOf } from '#domain/hub-rules.ts';
import { systemClock } from '#runtime/clock.ts';
import { CONFIGURATION_EXIT_CODE } from '#runtime/exit-codes.ts';
import { createJobPublisher } from '#runtime/job-publisher.ts';
import { loadSecretKey } from '#runtime/load-secret-key.ts';
import { createLogger } from '#runtime/log.ts';
import { connectProducer, connectSubscriber, isReadyWithin } from '#runtime/redis.ts';
import { parseSettings } from '#runtime/settings.ts';
import { SettingsError } from '#runtime/settings-error.ts';
import { announceReady, createShutdown } from '#runtime/shutdown.ts';
import { listenToSignals } from '#runtime/signals.ts';
import { buildApp } from './app.ts';
import { listen } from './listen.ts';
import { createBalanceDesk } from './plugins/balance-desk.ts';
import { createRedemptionDesk } from './plugins/redemption-desk.ts';
import { createTokenUsage } from './plugins/token-usage.ts';

/** The hub serves without Redis too, if less well, so that it is waited for only so long. */
const redisWaitMs = 5_000;
/** For requests under way to be answered. */
const drainTimeoutMs = 10_000;
const closeTimeoutMs = 3_000;

function readSettings() {
  try {
    const settings = parseSettings(process.env);
    const { database, redisUrl } = settings;
    if (database.kind === 'none')
      throw new SettingsFault('DATABASE_URL is `none`: this version has no demo mode yet.');
    if (redisUrl === null) {
      throw new SettingsFault('REDIS_URL is not set. `npm start` runs a Redis for all processes of the hub.');
    }
    return { settings, database, redisUrl };
  } catch (error) {
    if (!(error instanceof SettingsError || error instanceof SettingsFault)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(CONFIGURATION_EXIT_CODE);
  }
}

class SettingsFault extends Error {}

const { settings, database, redisUrl } = readSettings();
const logger = createLogger({ name: 'api' });
const shutdown = createShutdown({ logger });

const db = await openDatabase(database);
shutdown.onShutdown('database', () => db.close(), closeTimeoutMs);
const redis = connectProducer(redisUrl, logger);
shutdown.onShutdown('redis', () => redis.disconnect(), closeTimeoutMs);
const subscriber = connectSubscriber(redisUrl, logger);
shutdown.onShutdown('subscriber', () => subscriber.disconnect(), closeTimeoutMs);
const publisher = createJobPublisher(redis, logger);
shutdown.onShutdown('publisher', () => publisher.close(), closeTimeoutMs);

const answers = connectSubscriber(redisUrl, logger);
shutdown.onShutdown('answers', () => answers.disconnect(), closeTimeoutMs);
const actors = createActorClient(redis, answers, logger);
shutdown.onShutdown('actors', () => actors.close(), closeTimeoutMs);

const ctx: Ctx = { db, clock: systemClock, rules: hubRulesOf(settings), publisher };
const tokenUsage = createTokenUsage(ctx, logger);
shutdown.onShutdown('token usage', () => tokenUsage.close(), closeTimeoutMs);

const app = buildApp({
  ...ctx,
  settings,
  redis,
  logger,
  version: packageJson.version,
  secretKey: await loadSecretKey(settings),
  ending: shutdown.signal,
  tokenUsage,
  balances: createBalanceDesk(ctx),
  redemptions: createRedemptionDesk(ctx),
  actors,
  signals: listenToSignals(subscriber),
});

await isReadyWithin(redis, redisWaitMs);
const server = listen(app, { hostname: settings.host, port: settings.port });
shutdown.onShutdown('server', () => server.drain(), drainTimeoutMs);
logger.info({ url: server.url }, 'listening');
announceReady();
