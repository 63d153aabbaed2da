/** The rounds that delete rows that are no longer needed. */
import { pruneChallenges } from '#domain/agents/challenges.ts';
import type { Ctx } from '#domain/context.ts';
import { pruneStoredBytes } from '#domain/storage/count-stored.ts';
import { pruneItems } from '#domain/runs/sweep-runs.ts';
import { pruneIdempotencyKeys } from '#domain/idempotency/claim-key.ts';
import { pruneEmails } from '#domain/inbox/receive-email.ts';
import { pruneClosedJobs } from '#domain/jobs/reannounce-open-jobs.ts';
import { pruneMails } from '#domain/mail/end-mail.ts';
import { pruneNotifications } from '#domain/notifications/notify-agents.ts';
import { pruneOauth } from '#domain/oauth/prune-oauth.ts';
import type { RetentionInput } from '#domain/retention.ts';
import { pruneWebhooks } from '#domain/webhooks/prune-webhooks.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { type Rounds, startRounds } from './rounds.ts';

type RetentionSettings = Pick<
  Settings,
  'inboxRetentionDays' | 'deliveryLogRetentionDays' | 'evalCasesRetentionDays' | 'notificationRetentionDays'
>;

const everyMs = 60_000;

function after(retentionDays: number): RetentionInput {
  return { retentionDays };
}

export function startPruning(ctx: Ctx, settings: RetentionSettings, logger: Logger): readonly Rounds[] {
  const works: Readonly<Record<string, () => Promise<number>>> = {
    'closed jobs': () => pruneClosedJobs(ctx),
    'idempotency keys': () => pruneIdempotencyKeys(ctx),
    'stored bytes': () => pruneStoredBytes(ctx),
    mails: () => pruneMails(ctx),
    challenges: () => pruneChallenges(ctx),
    oauth: () => pruneOauth(ctx),
    webhooks: () => pruneWebhooks(ctx, after(settings.deliveryLogRetentionDays)),
    notifications: () => pruneNotifications(ctx, after(settings.notificationRetentionDays)),
    inbox: () => pruneEmails(ctx, after(settings.inboxRetentionDays)),
    'eval cases': () => pruneItems(ctx, after(settings.evalCasesRetentionDays)),
  };
  return Object.entries(works).map(([name, work]) =>
    startRounds({ name: `prune ${name}`, everyMs, logger, work }),
  );
}
