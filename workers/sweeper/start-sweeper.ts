/**
 * Starts the sweeper pool: everything that is due because time has passed. Several sweepers may run at once.
 */
import { pruneChallenges } from '#domain/agents/prune-challenges.ts';
import { pruneContactLog } from '#domain/contact/prune-contact-log.ts';
import { failOverdueEvalJobs } from '#domain/eval-jobs/fail-overdue-eval-jobs.ts';
import { pruneIdempotencyKeys } from '#domain/idempotency/prune-idempotency-keys.ts';
import { pruneClosedJobs } from '#domain/jobs/prune-closed-jobs.ts';
import { pruneMails } from '#domain/mail/prune-mails.ts';
import { pruneWebhookReceipts } from '#domain/payments/prune-webhook-receipts.ts';
import { endLapsedSupporters } from '#domain/supporters/end-lapsed-supporters.ts';
import { settleExpiries } from '#domain/tokens/settle-expiries.ts';
import { pruneWebhooks } from '#domain/webhooks/prune-webhooks.ts';
import type { PoolDeps, RunningPool } from '../pool.ts';
import { createLedgerWatch } from './ledger-watch.ts';
import { createPump } from './pump.ts';
import { startRounds } from './rounds.ts';

export async function startSweeper({ ctx, logger, redis }: PoolDeps): Promise<RunningPool> {
  const pump = createPump(ctx, redis, logger);
  const rounds = [
    startRounds({ name: 'watch Redis', everyMs: 500, logger, work: pump.announceAllToNewRedis }),
    startRounds({ name: 'republish old jobs', everyMs: 5_000, logger, work: pump.announceOldJobs }),
    startRounds({ name: 'settle expiries', everyMs: 10_000, logger, work: () => settleExpiries(ctx) }),
    startRounds({ name: 'end overdue runs', everyMs: 5_000, logger, work: () => failOverdueEvalJobs(ctx) }),
    startRounds({ name: 'check ledgers', everyMs: 2_000, logger, work: createLedgerWatch(ctx, logger) }),
    startRounds({ name: 'prune closed jobs', everyMs: 60_000, logger, work: () => pruneClosedJobs(ctx) }),
    startRounds({
      name: 'prune idempotency keys',
      everyMs: 60_000,
      logger,
      work: () => pruneIdempotencyKeys(ctx),
    }),
    startRounds({
      name: 'end lapsed supporters',
      everyMs: 10_000,
      logger,
      work: () => endLapsedSupporters(ctx),
    }),
    startRounds({ name: 'prune contact log', everyMs: 60_000, logger, work: () => pruneContactLog(ctx) }),
    startRounds({
      name: 'prune webhook receipts',
      everyMs: 60_000,
      logger,
      work: () => pruneWebhookReceipts(ctx),
    }),
    startRounds({ name: 'prune mails', everyMs: 60_000, logger, work: () => pruneMails(ctx) }),
    startRounds({ name: 'prune webhooks', everyMs: 60_000, logger, work: () => pruneWebhooks(ctx) }),
    startRounds({ name: 'prune challenges', everyMs: 60_000, logger, work: () => pruneChallenges(ctx) }),
  ];
  return {
    drain: async () => {
      await Promise.all(rounds.map((round) => round.stop()));
    },
  };
}
