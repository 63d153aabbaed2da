/** An agent requests another challenge for its webhook. */
import { and, eq } from 'drizzle-orm';
import { lockRows } from '#db/locks.ts';
import { isKeptWebhook, isPendingDelivery } from '#db/schema/index-conditions.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { challengeOf, challengeKind } from './challenge.ts';
import type { WebhookRow } from './webhook-rows.ts';
import { enqueueDeliveries } from './enqueue-deliveries.ts';
import { webhookNotFound } from './show-webhook.ts';

export interface VerifyingWebhook {
  readonly webhook: WebhookRow;
  /** False if the webhook is already active, so that no call is needed. */
  readonly isCalled: boolean;
}

/**
 * Makes a failed or disabled webhook pending again and sends a new challenge at once.
 * @throws DomainError webhook_not_found
 */
export async function verifyWebhook(
  ctx: AgentCtx,
  { webhookId }: { readonly webhookId: string },
): Promise<VerifyingWebhook> {
  return withTransaction(ctx, async (inner) => {
    const { webhooks } = inner.db.tables;
    const own = and(eq(webhooks.id, webhookId), eq(webhooks.agentId, ctx.agent.id), isKeptWebhook(webhooks));
    const [webhook] = await lockRows(inner.db, inner.db.query.select().from(webhooks).where(own));
    if (webhook === undefined) throw webhookNotFound();
    if (webhook.state === 'active' && webhook.disabledAt === null) return { webhook, isCalled: false };
    await dropChallenge(inner, webhookId);
    const pending = {
      state: 'pending',
      disabledAt: null,
      disabledReason: null,
      failingSince: null,
    } as const;
    await inner.db.query.update(webhooks).set(pending).where(eq(webhooks.id, webhookId));
    await enqueueDeliveries(inner, [challengeOf(webhookId)]);
    return { webhook: { ...webhook, ...pending }, isCalled: true };
  });
}

/** The worker closes the job of a delivery that has ended. */
async function dropChallenge({ db, clock }: TransactionCtx, webhookId: string): Promise<void> {
  const { webhookDeliveries } = db.tables;
  await db.query
    .update(webhookDeliveries)
    .set({ status: 'dropped', nextAttemptAt: null, finishedAt: clock.now() })
    .where(
      and(
        eq(webhookDeliveries.webhookId, webhookId),
        eq(webhookDeliveries.kind, challengeKind),
        isPendingDelivery(webhookDeliveries),
      ),
    );
}
