/** An agent subscribes a URL to some kinds of events. */
import { and, count, eq } from 'drizzle-orm';
import { isKeptWebhook } from '#db/schema/index-conditions.ts';
import { lockRows } from '#db/locks.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { WebhookKind } from '#db/schema/webhook-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { parseTargetUrl } from '#runtime/guarded-http/target-url.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { webhookKinds } from './webhook-kinds.ts';
import { webhooksPerAgentMax } from './webhook-limits.ts';
import { hashWebhookSecret, webhookSecret } from './webhook-secret.ts';

export type WebhookRow = Tables['webhooks']['$inferSelect'];

export interface CreateWebhookInput {
  readonly url: string;
  readonly events: readonly WebhookKind[];
  /** The hub's SECRET_KEY. */
  readonly secretKey: string;
}

export interface CreatedWebhook {
  readonly webhook: WebhookRow;
  /** Shown only once. */
  readonly secret: string;
}

/** @throws DomainError invalid_target_url, too_many_webhooks */
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
    events: webhookKinds.filter((kind) => input.events.includes(kind)),
    secretHash: hashWebhookSecret(secret),
    createdAt: now,
    failingSince: null,
    lastDeliveredAt: null,
    disabledAt: null,
    disabledReason: null,
    deletedAt: null,
  };
  await withTransaction(ctx, async ({ db }) => {
    const { agents, webhooks } = db.tables;
    // The lock serialises creation per agent, so that the limit holds.
    await lockRows(db, db.query.select({ id: agents.id }).from(agents).where(eq(agents.id, ctx.agent.id)));
    const [found] = await db.query
      .select({ count: count() })
      .from(webhooks)
      .where(and(eq(webhooks.agentId, ctx.agent.id), isKeptWebhook(webhooks)));
    if ((found?.count ?? 0) >= webhooksPerAgentMax) throw tooManyWebhooks();
    await db.query.insert(webhooks).values(webhook);
  });
  return { webhook, secret };
}

function invalidUrl(reason: string): DomainError {
  return new DomainError('invalid_target_url', `\`url\` cannot be used. ${reason}`, {
    hint: 'Use the http(s) URL of a public endpoint that accepts POST and returns 2xx within 10 seconds.',
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
