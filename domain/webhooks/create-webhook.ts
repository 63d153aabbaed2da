/** An agent subscribes a URL to some kinds of events. */
import { and, eq } from 'drizzle-orm';
import { lockRows } from '#db/transaction.ts';
import { isKeptWebhook, isPendingDelivery } from '#db/schema/index-conditions.ts';
import type { WebhookEvent } from '#db/schema/webhook-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { parseTargetUrl } from '#runtime/guarded-http/target-url.ts';
import { holdAgent } from '../agents/find-agent.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { webhookEvents } from '../notifications/notification-kinds.ts';
import { challengeKind, challengeOf } from './challenge.ts';
import { enqueueDeliveries } from './enqueue-deliveries.ts';
import { hashWebhookSecret, webhookSecret } from './sign-call.ts';
import { webhookNotFound, type WebhookRow } from './show-webhook.ts';
import { webhooksPerAgentMax } from './webhook-limits.ts';
import { operation } from '../operation.ts';

interface CreateWebhookInput {
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  /** The hub's SECRET_KEY. */
  readonly secretKey: string;
}

export interface CreatedWebhook {
  readonly webhook: WebhookRow;
  /** Shown only once. */
  readonly secret: string;
}

/**
 * The webhook is pending until its receiver has echoed the challenge that this sends.
 * @throws DomainError invalid_target_url, webhook_exists, limit_reached
 */
export async function createWebhook(ctx: AgentCtx, input: CreateWebhookInput): Promise<CreatedWebhook> {
  const parsed = parseTargetUrl(input.url, ctx.rules.targetAddresses);
  if (!parsed.ok) throw invalidUrl(parsed.message);
  const now = ctx.clock.now();
  const id = createId(now);
  const secret = webhookSecret(input.secretKey, id);
  const webhook: WebhookRow = {
    id,
    agentId: ctx.agent.id,
    url: input.url,
    // Without duplicates, in the order of the documentation.
    events: webhookEvents.filter((kind) => input.events.includes(kind)),
    secretHash: hashWebhookSecret(secret),
    createdAt: now,
    state: 'pending',
    failingSince: null,
    lastDeliveredAt: null,
    disabledAt: null,
    disabledReason: null,
    deletedAt: null,
  };
  await withTransaction(ctx, async (inner) => {
    const { db } = inner;
    const { webhooks } = db.tables;
    // Concurrent calls must not exceed the limit together.
    await holdAgent(inner, ctx.agent.id);
    const own = await db.query
      .select({ id: webhooks.id, url: webhooks.url })
      .from(webhooks)
      .where(and(eq(webhooks.agentId, ctx.agent.id), isKeptWebhook(webhooks)));
    const same = own.find(({ url }) => comparable(url) === comparable(input.url));
    if (same !== undefined) throw webhookExists(same.id);
    if (own.length >= webhooksPerAgentMax) throw tooManyWebhooks();
    await db.query.insert(webhooks).values(webhook);
    await enqueueDeliveries(inner, [challengeOf(id)]);
  });
  return { webhook, secret };
}

function invalidUrl(reason: string): DomainError {
  return new DomainError('invalid_target_url', `\`url\` cannot be used. ${reason}`, {
    hint: 'Use the http(s) URL of a public endpoint that accepts POST and returns 2xx within 10 seconds.',
  });
}

/** Normalised by WHATWG URL, without the fragment, which is never sent. */
function comparable(text: string): string {
  const url = new URL(text);
  url.hash = '';
  return url.href;
}

function webhookExists(webhookId: string): DomainError {
  return new DomainError('webhook_exists', `Your webhook ${webhookId} already has this \`url\`.`, {
    hint: `Use that one, or delete it first with ${operation('deleteWebhook')}.`,
  });
}

function tooManyWebhooks(): DomainError {
  return new DomainError(
    'limit_reached',
    `You already have ${webhooksPerAgentMax} webhooks, which is the limit.`,
    {
      hint: `Delete one with ${operation('deleteWebhook')}. ${operation('listWebhooks')} lists yours.`,
    },
  );
}

interface VerifyingWebhook {
  readonly webhook: WebhookRow;
  /** False if the webhook is already active, so that no call is needed. */
  readonly isCalled: boolean;
}

/**
 * An agent requests another challenge for its webhook.
 * Makes a failed or disabled webhook pending again and sends a new challenge immediately.
 * @throws DomainError not_found
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

/**
 * Deletes one of the acting agent's webhooks and drops its pending deliveries. The sweeper later removes the
 * row and its log.
 * @throws DomainError not_found
 */
export async function deleteWebhook(ctx: AgentCtx, { webhookId }: { webhookId: string }): Promise<void> {
  await withTransaction(ctx, async ({ db, clock }) => {
    const { webhooks } = db.tables;
    const deleted = await db.query
      .update(webhooks)
      .set({ deletedAt: clock.now() })
      .where(and(eq(webhooks.id, webhookId), eq(webhooks.agentId, ctx.agent.id), isKeptWebhook(webhooks)))
      .returning({ id: webhooks.id });
    if (deleted.length === 0) throw webhookNotFound();
  });
}
