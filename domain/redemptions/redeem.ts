import type { Database } from '#db/database.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { type Batcher, createBatcher } from '#runtime/batcher.ts';
import { type AgentCtx, type Ctx, isInTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { type AcceptedRedemption, acceptRedemptions, type RedemptionRequest } from './accept-redemptions.ts';
import { agentRunProduct } from './agent-run-product.ts';
import type { Product } from './product.ts';
import { evalRunProduct } from './eval-run-product.ts';
import { productNames } from './product-names.ts';
import type { RedemptionInput } from './redemption-input.ts';

/**
 * Charges the acting agent for a product and starts its run. Concurrent calls share a transaction, unless `ctx` is in
 * one already (an `Idempotency-Key` opens one).
 *
 * @throws DomainError product_not_available, invalid_target_url, invalid_body, agent_suspended, insufficient_tokens,
 *   too_many_open_jobs, too_many_failed_runs
 */
export function redeem(ctx: AgentCtx, input: RedemptionInput): Promise<AcceptedRedemption<RunRow>> {
  return redeemProduct(ctx, findProduct(input.product), input);
}

async function redeemProduct<Order, Run>(
  ctx: AgentCtx,
  product: Product<Order, Run>,
  input: RedemptionInput,
): Promise<AcceptedRedemption<Run>> {
  const request = { agentId: ctx.agent.id, order: product.readOrder(ctx, input), cause: ctx.cause };
  if (!isInTransaction(ctx)) return batcherFor(ctx, product).ask({ ctx, request });
  const [result] = await acceptRedemptions(ctx, product, [request]);
  if (result === undefined || result instanceof Error) throw result ?? new Error('A request has a result.');
  return result;
}

/**
 * Charges the acting agent for an `agent-run` and opens the run.
 *
 * @throws DomainError invalid_target_url, invalid_body, agent_suspended, insufficient_tokens, too_many_open_jobs,
 *   too_many_failed_runs
 */
export function redeemAgentRun(ctx: AgentCtx, input: RedemptionInput): Promise<AcceptedRedemption<RunRow>> {
  return redeemProduct(ctx, agentRunProduct, input);
}

/** `agent-run` has a verb of its own: `redeemAgentRun`. */
function findProduct(name: string): typeof evalRunProduct {
  if (name === evalRunProduct.name) return evalRunProduct;
  throw new DomainError('product_not_available', '`product` is not a product of this hub.', {
    hint: `Available products: ${productNames.join(', ')}.`,
  });
}

interface QueuedRedemption<Order> {
  readonly ctx: Ctx;
  readonly request: RedemptionRequest<Order>;
}

type RedemptionBatcher<Order, Run> = Batcher<QueuedRedemption<Order>, AcceptedRedemption<Run>>;

const acceptedAtOnceMax = 128;
/** Batches of one agent wait for its account anyway, and SQLite has one writer. */
const batchesAtOnceMax = 2;
/** By store and product. */
const batchers = new WeakMap<Database, Map<unknown, unknown>>();

function batcherFor<Order, Run>({ db }: Ctx, product: Product<Order, Run>): RedemptionBatcher<Order, Run> {
  const ofStore = batchers.get(db) ?? new Map<unknown, unknown>();
  batchers.set(db, ofStore);
  // Only this function writes the map, so the entry of a product is a batcher of that product.
  const existing = ofStore.get(product) as RedemptionBatcher<Order, Run> | undefined;
  if (existing !== undefined) return existing;
  const batcher = createBatcher<QueuedRedemption<Order>, AcceptedRedemption<Run>>({
    maxBatch: acceptedAtOnceMax,
    maxInFlight: batchesAtOnceMax,
    handle: (queued) => acceptTogether(product, queued),
  });
  ofStore.set(product, batcher);
  return batcher;
}

/** Contexts of one database differ only in the agent and the cause, which the requests carry. */
async function acceptTogether<Order, Run>(
  product: Product<Order, Run>,
  queued: readonly QueuedRedemption<Order>[],
): Promise<readonly (AcceptedRedemption<Run> | DomainError)[]> {
  const [first] = queued;
  if (first === undefined) return [];
  const { db, clock, rules, publisher } = first.ctx;
  return acceptRedemptions(
    { db, clock, rules, publisher },
    product,
    queued.map(({ request }) => request),
  );
}
