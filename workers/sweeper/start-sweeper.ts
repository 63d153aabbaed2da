/**
 * Starts the sweeper pool: everything that is due because time has passed. Several sweepers may run concurrently.
 */
import packageJson from '../../package.json' with { type: 'json' };
import { readFreeSpace } from '#db/free-space.ts';
import { type ActorClient, createActorClient } from '#actors/actor-client.ts';
import { giveSeatsBack } from '#actors/give-seats-back.ts';
import { expireClosedBalances } from '#domain/account/close-account.ts';
import { pruneChallenges } from '#domain/agents/challenges.ts';
import type { Ctx } from '#domain/context.ts';
import { eraseParts } from '#domain/erasing/erase-parts.ts';
import { pruneIdempotencyKeys } from '#domain/idempotency/claim-key.ts';
import { pruneEmails } from '#domain/inbox/receive-email.ts';
import { pruneClosedJobs } from '#domain/jobs/reannounce-open-jobs.ts';
import { forgetIntentNetworks } from '#domain/supporters/find-support.ts';
import { pruneMails } from '#domain/mail/end-mail.ts';
import { endRunsOfAbsentAgents } from '#domain/moderation/end-runs-of-absent-agents.ts';
import { pruneNotifications } from '#domain/notifications/notify-agents.ts';
import { pruneOauth } from '#domain/oauth/prune-oauth.ts';
import { endDueRuns, failOverduePushRuns, pruneItems } from '#domain/runs/sweep-runs.ts';
import { Setbacks } from '#domain/setbacks.ts';
import { pruneStoredBytes } from '#domain/storage/count-stored.ts';
import { endLapsedSupporters } from '#domain/supporters/create-supporter.ts';
import { grantDueAllowances } from '#domain/tokens/grant-due-allowances.ts';
import { settleExpiries } from '#domain/tokens/settle-expiries.ts';
import { pruneWebhooks } from '#domain/webhooks/prune-webhooks.ts';
import { connectSubscriber } from '#runtime/redis/redis.ts';
import { readGeneratedKey } from '#runtime/settings/load-secret-key.ts';
import type { PoolDeps, RunningPool } from '../pool.ts';
import { createLedgerWatch } from './ledger-watch.ts';
import { createOutboxRelay } from './outbox-relay.ts';
import { startRounds } from './rounds.ts';
import { startBackups } from './start-backups.ts';
import { createDiskWatch } from './watch-disk.ts';

/** Within five seconds, open jobs are announced to a Redis that lost its data while it kept its connections. */
const redisWatchMs = 2_000;
const pruneEveryMs = 60_000;

type Work = () => Promise<number>;

export async function startSweeper(deps: PoolDeps): Promise<RunningPool> {
  const { ctx, logger, publisher, redis, redisUrl, settings } = deps;
  const relay = createOutboxRelay(ctx, redis, publisher, logger);
  const replies = connectSubscriber(redisUrl, logger);
  const actors = createActorClient(redis, replies, logger);
  const start = (name: string, everyMs: number, work: Work) => startRounds({ name, everyMs, logger, work });
  const redisWatch = start('watch Redis', redisWatchMs, relay.relayAllToNewRedis);
  // A Redis that was restarted or replaced is connected to again.
  redis.on('ready', redisWatch.hurry);
  const watchDisk = createDiskWatch(logger, () => readFreeSpace(ctx.db));
  const rounds = [
    redisWatch,
    start('republish old jobs', 5_000, relay.relayOldJobs),
    start('watch the disk', 60_000, watchDisk),
    start('check ledgers', 2_000, createLedgerWatch(ctx, logger)),
    ...dueWorks(ctx, actors).map((one) => start(...one)),
    ...Object.entries(pruneWorks(ctx, settings)).map(([name, work]) =>
      start(`prune ${name}`, pruneEveryMs, work),
    ),
    ...startBackingUp(deps),
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

/** Those for absent agents finish suspensions and account closures, even after a crash in between. */
function dueWorks(ctx: Ctx, actors: ActorClient): readonly (readonly [string, number, Work])[] {
  const [ofRuns, ofAbsent] = [new Setbacks(ctx.clock), new Setbacks(ctx.clock)];
  const ofErasures = new Setbacks(ctx.clock);
  return [
    ['settle expiries', 10_000, () => settleExpiries(ctx)],
    ['grant allowances', 5_000, () => grantDueAllowances(ctx, { agentId: null })],
    ['end overdue runs', 5_000, () => failOverduePushRuns(ctx, ofRuns)],
    ['end due runs', 5_000, () => endDueRuns(ctx, ofRuns)],
    ['end lapsed supporters', 10_000, () => endLapsedSupporters(ctx)],
    ['end runs of absent agents', 5_000, () => endRunsOfAbsentAgents(ctx, ofAbsent)],
    ['give seats back', 5_000, () => giveSeatsBack(ctx, actors, null)],
    ['erase what was closed or deleted', 2_000, () => eraseParts(ctx, ofErasures)],
    ['expire balances of closed accounts', 10_000, () => expireClosedBalances(ctx)],
  ];
}

/** Rows that are no longer needed. */
function pruneWorks(ctx: Ctx, settings: PoolDeps['settings']): Readonly<Record<string, Work>> {
  return {
    'closed jobs': () => pruneClosedJobs(ctx),
    'idempotency keys': () => pruneIdempotencyKeys(ctx),
    'stored bytes': () => pruneStoredBytes(ctx),
    mails: () => pruneMails(ctx),
    challenges: () => pruneChallenges(ctx),
    oauth: () => pruneOauth(ctx),
    webhooks: () => pruneWebhooks(ctx, { retentionDays: settings.deliveryLogRetentionDays }),
    notifications: () => pruneNotifications(ctx, { retentionDays: settings.notificationRetentionDays }),
    'networks of supporters to be': () => forgetIntentNetworks(ctx),
    inbox: () => pruneEmails(ctx, { retentionDays: settings.inboxRetentionDays }),
    'eval cases': () => pruneItems(ctx, { retentionDays: settings.evalCasesRetentionDays }),
  };
}

function startBackingUp({ ctx, settings, logger }: PoolDeps) {
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
