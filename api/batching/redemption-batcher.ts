/**
 * Takes redemptions to the domain: those that came in together in one batch, and those that are part of a larger
 * transaction (an `Idempotency-Key` makes one) by themselves.
 */
import { type Ctx, isInTransaction } from '#domain/context.ts';
import {
  type AcceptedRedemption,
  acceptRedemptions,
  type RedemptionRequest,
} from '#domain/redemptions/accept-redemptions.ts';
import { createBatcher } from '#runtime/batcher.ts';

export interface RedemptionBatcher {
  /** @throws DomainError as `acceptRedemptions` returns it */
  accept(ctx: Ctx, request: RedemptionRequest): Promise<AcceptedRedemption>;
}

const redemptionsPerBatchMax = 128;
/** Batches of one agent wait for its account anyway, and SQLite has one writer. */
const concurrentBatchesMax = 2;

/** @param ctx the context that batches run in */
export function createRedemptionBatcher(ctx: Ctx): RedemptionBatcher {
  const batcher = createBatcher<RedemptionRequest, AcceptedRedemption>({
    maxBatch: redemptionsPerBatchMax,
    maxInFlight: concurrentBatchesMax,
    handle: (requests) => acceptRedemptions(ctx, requests),
  });
  return {
    accept: async (callCtx, request) => {
      if (!isInTransaction(callCtx)) return batcher.ask({ ...request, cause: callCtx.cause });
      const [result] = await acceptRedemptions(callCtx, [request]);
      if (result === undefined || result instanceof Error)
        throw result ?? new Error('A request has a result.');
      return result;
    },
  };
}
