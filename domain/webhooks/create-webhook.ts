/** An agent subscribes a URL to some kinds of events. */
import { and, eq } from 'drizzle-orm';
import { isKeptWebhook } from '#db/schema/index-conditions.ts';
import { lockRows } from '#db/locks.ts';
import type { NotificationKind } from '#db/schema/notification-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { parseTargetUrl } from '#runtime/guarded-http/target-url.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { notificationKinds } from '../notifications/notification-kinds.ts';
import { challengeOf } from './challenge.ts';
import { enqueueDeliveries } from './enqueue-deliveries.ts';
import { webhooksPerAgentMax } from './webhook-limits.ts';
import type { WebhookRow } from './webhook-rows.ts';
import { hashWebhookSecret, webhookSecret } from './webhook-secret.ts';

export interface CreateWebhookInput {
  readonly url: string;
  readonly events: readonly NotificationKind[];
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
 * @throws DomainError invalid_target_url, webhook_exists, too_many_webhooks
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
    events: notificationKinds.filter((kind) => input.events.includes(kind)),
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
    const { agents, webhooks } = db.tables;
    // The lock serialises creation per agent, so that the limit holds.
    await lockRows(db, db.query.select({ id: agents.id }).from(agents).where(eq(agents.id, ctx.agent.id)));
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
    hint: 'Use that one, or delete it first with DELETE /v1/webhooks/{id}.',
  });
}

function tooManyWebhooks(): DomainError {
  return new DomainError(
    'too_many_webhooks',
    `You already have ${webhooksPerAgentMax} webhooks, which is the limit.`,
    {
      hint: 'Delete one with DELETE /v1/webhooks/{id}. GET /v1/webhooks lists yours.',
    },
  );
}
