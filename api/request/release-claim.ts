/**
 * Gives an idempotency key back whose request failed. While the store is away that is tried again in the background, so
 * that the repeat of the request is refused for no longer than the store is away, and no answer waits for it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isDatabaseUnavailable } from '#db/errors.ts';
import type { BearerCtx } from '#domain/context.ts';
import { type Claim, claimMs } from '#domain/idempotency/claim-key.ts';
import { releaseKey } from '#domain/idempotency/release-key.ts';
import { causeFields } from '#runtime/tracing/cause.ts';
import type { Logger } from '#runtime/tracing/log.ts';

/** Only requests under way when the store went away are in this, as without it none claims a key. */
const retryEveryMs = 500;

/**
 * Removes the claim before it comes back, unless the request failed as the store is away. Never rejects: a claim that cannot
 * be removed lapses by itself, so that this is tried for no longer than a claim lasts.
 */
export async function releaseClaim(
  ctx: BearerCtx,
  claim: Claim,
  logger: Logger,
  failure: unknown,
): Promise<void> {
  if (isDatabaseUnavailable(failure)) void releaseClaimLater(ctx, claim, logger);
  else if (await isReleasePending(ctx, claim, logger)) void releaseClaimLater(ctx, claim, logger);
}

async function releaseClaimLater(ctx: BearerCtx, claim: Claim, logger: Logger): Promise<void> {
  const giveUpAt = performance.now() + claimMs;
  while ((await isReleasePending(ctx, claim, logger)) && performance.now() < giveUpAt) {
    // A process that ends does not wait for it.
    await pause(retryEveryMs, undefined, { ref: false });
  }
}

/** @returns true when the store is away; every other fault is logged, and would be the same again */
async function isReleasePending(ctx: BearerCtx, claim: Claim, logger: Logger): Promise<boolean> {
  try {
    await releaseKey(ctx, claim);
    return false;
  } catch (err) {
    if (isDatabaseUnavailable(err)) return true;
    logger.warn(
      { err, ...causeFields(ctx.cause ?? {}) },
      'an idempotency claim could not be released and will lapse',
    );
    return false;
  }
}
