/**
 * Records the outcome of a delivery attempt: ends the delivery or schedules a retry, updates the webhook's
 * health, and closes or postpones the job. All in one transaction, fenced by the attempt number.
 */
import { and, eq, isNull } from 'drizzle-orm';
import { lockReferencedRows } from '#db/transaction.ts';
import type { DeliveryError, WebhookDisabledReason } from '#db/schema/webhook-tables.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { invariant } from '../errors.ts';
import { closeJobs } from '../jobs/enqueue.ts';
import { postponeJob } from '../jobs/reannounce-open-jobs.ts';
import { disabledKind } from '../notifications/notification-kinds.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { challengeKind } from './challenge.ts';
import type { FoundDelivery } from './enqueue-deliveries.ts';
import type { DeliveryRow, WebhookRow } from './show-webhook.ts';
import {
  challengeTriedForMs,
  deliveryTriedForMs,
  firstPauseMs,
  lastDeliveredPrecisionMs,
  longestPauseMs,
  pauseGrowth,
  pauseJitterShare,
} from './webhook-limits.ts';

export type AttemptOutcome =
  | { readonly kind: 'delivered'; readonly responseStatus: number }
  | {
      readonly kind: 'failed';
      readonly error: DeliveryError;
      /** Null if there was no response. */
      readonly responseStatus: number | null;
    }
  /** No attempt was made because the webhook is disabled or deleted, or its agent suspended. */
  | { readonly kind: 'dropped' };

interface RecordAttemptInput {
  /** As read before the attempt. */
  readonly found: FoundDelivery;
  readonly outcome: AttemptOutcome;
  /** The row in `jobs` that the worker is processing. */
  readonly jobId: string;
}

/** 410 Gone: the receiver never wants another delivery. */
const goneStatus = 410;

/** @returns when to retry; null if the delivery has ended, with this attempt or a concurrent one */
export async function recordAttempt(ctx: Ctx, input: RecordAttemptInput): Promise<Date | null> {
  const { outcome, found, jobId } = input;
  return withTransaction(ctx, async (inner) => {
    const again = outcome.kind === 'failed' ? retryTimeOf(inner, found, outcome) : null;
    if (!(await swapDelivery(inner, found.delivery, outcome, again))) return null;
    let reason: WebhookDisabledReason | null = null;
    if (found.delivery.kind === challengeKind) await recordChallenge(inner, found, outcome, again);
    else reason = await recordHealth(inner, found, outcome, again);
    if (again === null) await closeJobs(inner, [jobId]);
    else await postponeJob(inner, jobId, again);
    if (reason !== null) await notifyOwner(inner, found.webhook, reason);
    return again;
  });
}

type Failed = Extract<AttemptOutcome, { kind: 'failed' }>;

/** With growing pauses. The last attempt is made when the time for retries ends; after it, returns null. */
function retryTimeOf({ clock }: Ctx, { delivery }: FoundDelivery, outcome: Failed): Date | null {
  const isChallenge = delivery.kind === challengeKind;
  if (!isChallenge && outcome.responseStatus === goneStatus) return null;
  const lastMs = delivery.createdAt.getTime() + (isChallenge ? challengeTriedForMs : deliveryTriedForMs);
  const nowMs = clock.now().getTime();
  if (nowMs >= lastMs) return null;
  const grownMs = Math.min(longestPauseMs, firstPauseMs * pauseGrowth ** delivery.attempts);
  const pauseMs = grownMs * (1 - pauseJitterShare * Math.random());
  return new Date(Math.min(lastMs, nowMs + Math.round(pauseMs)));
}

/** Compare-and-swap: returns false if another attempt of this delivery was recorded first. */
async function swapDelivery(
  ctx: TransactionCtx,
  delivery: DeliveryRow,
  outcome: AttemptOutcome,
  again: Date | null,
): Promise<boolean> {
  const { webhookDeliveries } = ctx.db.tables;
  const now = ctx.clock.now();
  const tried =
    outcome.kind === 'dropped'
      ? {}
      : {
          attempts: delivery.attempts + 1,
          lastAttemptAt: now,
          responseStatus: outcome.responseStatus,
          error: outcome.kind === 'failed' ? outcome.error : null,
        };
  const swapped = await ctx.db.query
    .update(webhookDeliveries)
    .set({
      ...tried,
      status: again === null ? outcome.kind : 'pending',
      nextAttemptAt: again,
      finishedAt: again === null ? now : null,
    })
    .where(
      and(
        eq(webhookDeliveries.id, delivery.id),
        eq(webhookDeliveries.attempts, delivery.attempts),
        eq(webhookDeliveries.status, 'pending'),
      ),
    )
    .returning({ id: webhookDeliveries.id });
  return swapped.length === 1;
}

/** An echoed challenge makes the webhook active; one that was not echoed in time, or dropped, makes it failed. */
async function recordChallenge(
  { db }: TransactionCtx,
  { webhook }: FoundDelivery,
  outcome: AttemptOutcome,
  again: Date | null,
): Promise<void> {
  if (again !== null) return;
  const { webhooks } = db.tables;
  await db.query
    .update(webhooks)
    .set({ state: outcome.kind === 'delivered' ? 'active' : 'failed' })
    .where(and(eq(webhooks.id, webhook.id), eq(webhooks.state, 'pending')));
}

/**
 * Updates the webhook's health: when it last succeeded, since when it has been failing, and whether it is
 * disabled.
 * @returns why this attempt has disabled it, or null
 */
async function recordHealth(
  ctx: TransactionCtx,
  { delivery, webhook }: FoundDelivery,
  outcome: AttemptOutcome,
  again: Date | null,
): Promise<WebhookDisabledReason | null> {
  const now = ctx.clock.now();
  switch (outcome.kind) {
    case 'dropped':
      return null;
    case 'delivered': {
      const knownForMs = now.getTime() - (webhook.lastDeliveredAt?.getTime() ?? 0);
      if (webhook.failingSince === null && knownForMs < lastDeliveredPrecisionMs) return null;
      await changeWebhook(ctx, webhook, { failingSince: null, lastDeliveredAt: now });
      return null;
    }
    case 'failed': {
      if (outcome.responseStatus === goneStatus) return disable(ctx, webhook, 'gone');
      // Other deliveries may have succeeded during this attempt.
      const { failingSince, lastDeliveredAt } = await lockWebhook(ctx, webhook.id);
      // Count from the last success if this delivery was due before it, and from the request for a retry.
      const since = failingSince ?? later(delivery.nextAttemptAt ?? delivery.createdAt, lastDeliveredAt);
      const isOver = now.getTime() - since.getTime() >= deliveryTriedForMs;
      // Not while this delivery will be retried: since the first failure, there may have been nothing else to send.
      if (isOver && again === null) return disable(ctx, webhook, 'failing');
      if (failingSince === null) await changeWebhook(ctx, webhook, { failingSince: since });
      return null;
    }
  }
}

async function lockWebhook({ db }: TransactionCtx, id: string): Promise<WebhookRow> {
  const { webhooks } = db.tables;
  const [webhook] = await lockReferencedRows(db, db.query.select().from(webhooks).where(eq(webhooks.id, id)));
  invariant(webhook !== undefined, 'A webhook exists as long as it has deliveries.');
  return webhook;
}

async function changeWebhook(
  ctx: TransactionCtx,
  { id }: WebhookRow,
  changes: Partial<Pick<WebhookRow, 'failingSince' | 'lastDeliveredAt'>>,
): Promise<void> {
  const { webhooks } = ctx.db.tables;
  await ctx.db.query.update(webhooks).set(changes).where(eq(webhooks.id, id));
}

/** @returns the reason; null if another attempt has disabled it before */
async function disable(
  ctx: TransactionCtx,
  { id }: WebhookRow,
  reason: WebhookDisabledReason,
): Promise<WebhookDisabledReason | null> {
  const { webhooks } = ctx.db.tables;
  const disabled = await ctx.db.query
    .update(webhooks)
    .set({ disabledAt: ctx.clock.now(), disabledReason: reason })
    .where(and(eq(webhooks.id, id), isNull(webhooks.disabledAt)))
    .returning({ id: webhooks.id });
  return disabled.length === 0 ? null : reason;
}

function notifyOwner(
  ctx: TransactionCtx,
  { id, agentId }: WebhookRow,
  reason: WebhookDisabledReason,
): Promise<void> {
  return notifyAgents(ctx, [{ agentId, kind: disabledKind, data: { webhook_id: id, reason } }]);
}

function later(one: Date, other: Date | null): Date {
  return other !== null && other > one ? other : one;
}
