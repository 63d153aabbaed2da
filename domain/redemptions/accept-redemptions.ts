import type { RedemptionRow } from '#db/schema/run-tables.ts';
import { insertStatement } from '#db/insert-statement.ts';
import { pipelined } from '#db/pipelined.ts';
import type { Cause } from '#runtime/tracing/cause.ts';
import { createId } from '#runtime/create-id.ts';
import { crashPoint } from '#runtime/process/crash-points.ts';
import { agentSuspended, findSuspensions, isSuspended } from '../agents/suspension.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import type { Ledger } from '../tokens/ledger.ts';
import { openLedger, saveLedgerAtCommit } from '../tokens/ledger-store.ts';
import type { Product } from './product.ts';
import { readUsage, refusalByUsage, type Usage } from './read-usage.ts';

/** A request with a validated order. */
export interface RedemptionRequest<Order> {
  readonly agentId: string;
  readonly order: Order;
  /** The trace of this request; the context's when left out. */
  readonly cause?: Cause | undefined;
}

export interface AcceptedRedemption<Run> {
  readonly redemption: RedemptionRow;
  readonly run: Run;
  /** The agent's balance after the charge. */
  readonly balance: number;
  readonly cause: Cause | undefined;
}

/**
 * Accepts many redemptions of one product in one transaction: the charges, the redemptions, and the runs. The number of
 * statements does not depend on the number of requests, and one request's refusal does not affect the others.
 *
 * @returns for each request, in order, the redemption, or the refusal: agent_suspended, insufficient_tokens,
 *   too_many_open_jobs or too_many_failed_runs
 */
export async function acceptRedemptions<Order, Run>(
  ctx: Ctx,
  product: Product<Order, Run>,
  requests: readonly RedemptionRequest<Order>[],
): Promise<(AcceptedRedemption<Run> | DomainError)[]> {
  return withTransaction(ctx, async (inner) => {
    const agentIds = [...new Set(requests.map((request) => request.agentId))];
    // The ledger comes first: its locks on the accounts serialise the redemptions of an agent, so the count of its open
    // runs cannot change in the meantime.
    const [ledger, usage, suspensions] = await pipelined(
      openLedger(inner, { agentIds }),
      readUsage(inner, agentIds),
      findSuspensions(inner.db, agentIds),
    );
    const suspended = new Map(suspensions.map((agent) => [agent.id, agent]));
    const results = requests.map((request) => {
      const agent = suspended.get(request.agentId);
      if (agent !== undefined && isSuspended(agent, ledger.now)) return agentSuspended(agent);
      return accept(product, request, ledger, usage);
    });
    const accepted = results.filter(
      (result): result is AcceptedRedemption<Run> => !(result instanceof DomainError),
    );
    saveLedgerAtCommit(inner, ledger);
    insertRedemptions.atCommit(
      inner.db,
      accepted.map(({ redemption }) => redemption),
    );
    // Each run refers to its redemption, so the runs come second.
    product.addRunsAtCommit(inner, accepted);
    crashPoint('redemptions.written');
    return results;
  });
}

const insertRedemptions = insertStatement('redemptions');

function accept<Order, Run>(
  product: Product<Order, Run>,
  { agentId, order, cause }: RedemptionRequest<Order>,
  ledger: Ledger,
  usage: Usage,
): AcceptedRedemption<Run> | DomainError {
  const openRuns = usage.openRuns.get(agentId) ?? 0;
  const refusal = refusalByUsage(agentId, openRuns, usage, ledger.now);
  if (refusal !== null) return refusal;
  const id = createId(ledger.now);
  const whyNotFree = product.whyNotFree(order);
  const free = whyNotFree === null && ledger.takeFreeRun(product.freeRunField, agentId, id);
  const cost = free ? 0 : product.costOf(order);
  if (!free) {
    const refused = trySpend(ledger, { agentId, amount: cost, reason: product.reason, reference: id });
    if (refused !== null) {
      const isFreeRunLeft = ledger.account(agentId)[product.freeRunField] === null;
      return whyNotFree !== null && isFreeRunLeft ? notFree(refused, product, whyNotFree) : refused;
    }
  }
  usage.openRuns.set(agentId, openRuns + 1);
  const targetUrl = product.targetUrlOf(order) ?? '';
  const redemption = { id, agentId, product: product.name, targetUrl, cost, free, createdAt: ledger.now };
  const { balance } = ledger.account(agentId);
  return { redemption, run: product.runOf(order, redemption), balance, cause };
}

/** A caller with a free run left expects to pay nothing. */
function notFree<Order, Run>(
  { code, message, extras }: DomainError,
  { name }: Product<Order, Run>,
  why: string,
): DomainError {
  return new DomainError(code, `${message} Your first \`${name}\` is free, but ${why}.`, extras);
}

function trySpend(ledger: Ledger, spend: Parameters<Ledger['spend']>[0]): DomainError | null {
  try {
    ledger.spend(spend);
    return null;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}
