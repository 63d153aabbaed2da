import type { Database } from '#db/database.ts';
import { type Batcher, createBatcher } from '#runtime/batcher.ts';
import { parseTargetUrl } from '#runtime/guarded-http/target-url.ts';
import { type AgentCtx, type Ctx, isInTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import {
  type AcceptedRedemption,
  acceptRedemptions,
  type Product,
  products,
  type RedemptionRequest,
} from './accept-redemptions.ts';

export interface RedemptionInput {
  readonly product: string;
  /** Required by `eval-run`; null when the caller left it out. */
  readonly targetUrl: string | null;
}

/**
 * Charges the acting agent for a product and queues its eval job. Calls that arrive together share a transaction,
 * unless `ctx` is in one already (an `Idempotency-Key` opens one).
 *
 * @throws DomainError product_not_available, invalid_target_url, insufficient_tokens, too_many_open_jobs,
 *   too_many_failed_runs
 */
export async function redeem(ctx: AgentCtx, input: RedemptionInput): Promise<AcceptedRedemption> {
  const product = checkProduct(input.product);
  const targetUrl = checkTargetUrl(ctx, input.targetUrl);
  const request = { agentId: ctx.agent.id, product, targetUrl, cause: ctx.cause };
  if (!isInTransaction(ctx)) return batcherFor(ctx).ask({ ctx, request });
  const [result] = await acceptRedemptions(ctx, [request]);
  if (result === undefined || result instanceof Error) throw result ?? new Error('A request has a result.');
  return result;
}

interface QueuedRedemption {
  readonly ctx: Ctx;
  readonly request: RedemptionRequest;
}

const acceptedAtOnceMax = 128;
/** Batches of one agent wait for its account anyway, and SQLite has one writer. */
const batchesAtOnceMax = 2;
const batchers = new WeakMap<Database, Batcher<QueuedRedemption, AcceptedRedemption>>();

function batcherFor({ db }: Ctx): Batcher<QueuedRedemption, AcceptedRedemption> {
  const existing = batchers.get(db);
  if (existing !== undefined) return existing;
  const batcher = createBatcher<QueuedRedemption, AcceptedRedemption>({
    maxBatch: acceptedAtOnceMax,
    maxInFlight: batchesAtOnceMax,
    handle: (queued) => acceptTogether(queued),
  });
  batchers.set(db, batcher);
  return batcher;
}

/** Contexts of one database differ only in the agent and the cause, which the requests carry. */
async function acceptTogether(
  queued: readonly QueuedRedemption[],
): Promise<readonly (AcceptedRedemption | DomainError)[]> {
  const [first] = queued;
  if (first === undefined) return [];
  const { db, clock, rules, publisher } = first.ctx;
  return acceptRedemptions(
    { db, clock, rules, publisher },
    queued.map(({ request }) => request),
  );
}

function checkProduct(given: string): Product {
  const product = products.find((known) => known === given);
  if (product === undefined) {
    throw new DomainError('product_not_available', '`product` is not a product of this hub.', {
      hint: `Available products: ${products.join(', ')}.`,
    });
  }
  return product;
}

function checkTargetUrl(ctx: Ctx, given: string | null): string {
  if (given === null) throw invalidTarget('`target_url` is required for `eval-run`.');
  const parsed = parseTargetUrl(given, ctx.rules.targetAddresses);
  if (!parsed.ok) throw invalidTarget(`\`target_url\` cannot be used. ${parsed.message}`);
  return given;
}

function invalidTarget(message: string): DomainError {
  return new DomainError('invalid_target_url', message, {
    hint: 'Send the http(s) URL of a public endpoint that accepts POST {"prompt": "…"} and responds with {"text": "…"}.',
  });
}
