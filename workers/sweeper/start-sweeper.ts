/**
 * Starts the sweeper pool: everything that is due because time has passed. Several sweepers may run concurrently.
 */
import packageJson from '../../package.json' with { type: 'json' };
import { endDueRuns, failOverduePushRuns } from '#domain/runs/sweep-runs.ts';
import { Setbacks } from '#domain/setbacks.ts';
import { createActorClient } from '#actors/actor-client.ts';
import { endLapsedSupporters } from '#domain/supporters/create-supporter.ts';
import { grantDueAllowances } from '#domain/tokens/grant-due-allowances.ts';
import { connectSubscriber } from '#runtime/redis/redis.ts';
import { readGeneratedKey } from '#runtime/settings/load-secret-key.ts';
import { settleExpiries } from '#domain/tokens/settle-expiries.ts';
import type { PoolDeps, RunningPool } from '../pool.ts';
import { createLedgerWatch } from './ledger-watch.ts';
import { createOutboxRelay } from './outbox-relay.ts';
import { startRounds } from './rounds.ts';
import { startAbsence } from './start-absence.ts';
import { startBackups } from './start-backups.ts';
import { startPruning } from './start-pruning.ts';
import { readFreeSpace } from '#db/free-space.ts';
import { createDiskWatch } from './watch-disk.ts';

/** Within five seconds, open jobs are announced to a Redis that lost its data while it kept its connections. */
const redisWatchMs = 2_000;

export async function startSweeper({
  ctx,
  logger,
  publisher,
  redis,
  redisUrl,
  settings,
}: PoolDeps): Promise<RunningPool> {
  const relay = createOutboxRelay(ctx, redis, publisher, logger);
  const replies = connectSubscriber(redisUrl, logger);
  const actors = createActorClient(redis, replies, logger);
  const redisWatch = startRounds({
    name: 'watch Redis',
    everyMs: redisWatchMs,
    logger,
    work: relay.relayAllToNewRedis,
  });
  // A Redis that was restarted or replaced is connected to again.
  redis.on('ready', redisWatch.hurry);
  const setbacks = new Setbacks(ctx.clock);
  const rounds = [
    redisWatch,
    startRounds({ name: 'republish old jobs', everyMs: 5_000, logger, work: relay.relayOldJobs }),
    startRounds({ name: 'settle expiries', everyMs: 10_000, logger, work: () => settleExpiries(ctx) }),
    startRounds({
      name: 'grant allowances',
      everyMs: 5_000,
      logger,
      work: () => grantDueAllowances(ctx, { agentId: null }),
    }),
    startRounds({
      name: 'end overdue runs',
      everyMs: 5_000,
      logger,
      work: () => failOverduePushRuns(ctx, setbacks),
    }),
    startRounds({
      name: 'end due runs',
      everyMs: 5_000,
      logger,
      work: () => endDueRuns(ctx, setbacks),
    }),
    startRounds({
      name: 'watch the disk',
      everyMs: 60_000,
      logger,
      work: createDiskWatch({ logger, readSpace: () => readFreeSpace(ctx.db) }),
    }),
    startRounds({ name: 'check ledgers', everyMs: 2_000, logger, work: createLedgerWatch(ctx, logger) }),
    startRounds({
      name: 'end lapsed supporters',
      everyMs: 10_000,
      logger,
      work: () => endLapsedSupporters(ctx),
    }),
    ...startAbsence(ctx, actors, logger),
    ...startPruning(ctx, settings, logger),
    ...startBackingUp({ ctx, settings, logger }),
  ];
  return {
    drain: async () => {
      redis.off('ready', redisWatch.hurry);
      await Promise.all(rounds.map((round) => round.stop()));
      await actors.close();
      replies.disconnect();
    },
  };
}

function startBackingUp({ ctx, settings, logger }: Pick<PoolDeps, 'ctx' | 'settings' | 'logger'>) {
  const { backups, database } = settings;
  if (database.kind === 'none') return [];
  const rounds = startBackups({
    ctx,
    settings: backups,
    store: database,
    version: packageJson.version,
    readSecretKey: () => readGeneratedKey(settings),
    logger,
  });
  return rounds === null ? [] : [rounds];
}
