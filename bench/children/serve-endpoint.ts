/** Serves one endpoint with the HTTP stack, authentication and logs of the hub's API, as a baseline of a benchmark. */
import type { AnyElysia } from 'elysia';
import { createActorClient } from '#actors/actor-client.ts';
import { buildApp } from '#api/app.ts';
import { createTokenUsage } from '#domain/agents/token-bearers.ts';
import { createBalanceBatcher } from '#domain/tokens/read-balances.ts';
import { listen } from '#api/listen.ts';
import { createReadTurns } from '#api/access/read-turns.ts';
import { createCachedPages } from '#api/site/cached-pages.ts';
import { createOpenStreams } from '#api/streams/open-streams.ts';
import type { Database } from '#db/database.ts';
import { openDatabase } from '#db/open-database.ts';
import type { Ctx } from '#domain/context.ts';
import { hubRulesOf } from '#domain/hub-rules.ts';
import { gradersInPlace } from '#domain/runs/grading/grade-reply.ts';
import { openPlace } from '#domain/place/open-place.ts';
import { createSuiteChecker } from '#domain/suites/suite-checker.ts';
import { systemClock } from '#runtime/clock.ts';
import { noProxyWatch } from '#runtime/inbound-http/proxy-watch.ts';
import { connectProducer, connectSubscriber } from '#runtime/redis/redis.ts';
import { listenToSignals } from '#runtime/redis/signals.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { createLogger } from '#runtime/tracing/log.ts';

/** Tells the parent process the port. */
export async function serveEndpoint(name: string, make: (db: Database) => AnyElysia): Promise<void> {
  const settings = parseSettings(process.env);
  const { database, redisUrl } = settings;
  if (database.kind === 'none' || redisUrl === null)
    throw new Error('The baseline needs a store and a Redis.');
  const logger = createLogger({ name });
  const redis = connectProducer(redisUrl, logger);
  const db = await openDatabase(database);
  const publisher = { publish: () => {}, signal: () => {} };
  const ctx: Ctx = { db, clock: systemClock, rules: hubRulesOf(settings), publisher };
  const app = buildApp(
    {
      ...ctx,
      settings,
      demo: false,
      redis,
      logger,
      tracing: null,
      version: 'baseline',
      deliveryWaitMs: 0,
      probes: null,
      clientDocuments: null,
      issuerDocuments: null,
      proxies: noProxyWatch,
      checkout: null,
      secretKey: 'baseline',
      ending: new AbortController().signal,
      graders: gradersInPlace,
      suiteChecker: createSuiteChecker(openPlace({ waitingMax: { ofAgent: 32, all: 256 } })),
      tokenUsage: createTokenUsage(ctx, logger),
      balances: createBalanceBatcher(ctx),
      pages: createCachedPages(ctx),
      downloads: createReadTurns('downloads'),
      actors: createActorClient(redis, connectSubscriber(redisUrl, logger), logger),
      signals: listenToSignals(connectSubscriber(redisUrl, logger)),
      streams: createOpenStreams(redis, logger),
    },
    { modules: [make(db)] },
  );
  const { port } = listen(app, { hostname: '127.0.0.1', port: 0 });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ ready: true, port });
}
