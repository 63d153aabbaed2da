/**
 * Releases the idempotency key of a failed request. While the database is unavailable it retries in the
 * background, so that the client can retry as soon as the database is back, and no response is delayed.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isDatabaseUnavailable } from '#db/errors.ts';
import { type BearerCtx, withoutAgent } from '#domain/context.ts';
import { type Claim, claimMs, releaseKey } from '#domain/idempotency/claim-key.ts';
import { causeFields } from '#runtime/tracing/cause.ts';
import type { Logger } from '#runtime/tracing/log.ts';

/** Retries are few: only requests in flight when the database failed hold a claim. */
const retryEveryMs = 500;

/**
 * Releases the claim before it resolves, unless the database is unavailable. Never rejects: a claim that
 * cannot be released expires, which also bounds the retries.
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
    // Must not keep the process from exiting.
    await pause(retryEveryMs, undefined, { ref: false });
  }
}

/** @returns true if the database is unavailable; other errors are permanent and are logged */
async function isReleasePending(ctx: BearerCtx, claim: Claim, logger: Logger): Promise<boolean> {
  try {
    await releaseKey(withoutAgent(ctx), claim);
    return false;
  } catch (err) {
    if (isDatabaseUnavailable(err)) return true;
    logger.warn(
      { err, ...causeFields(ctx.cause ?? {}) },
      'could not release an idempotency claim; it will expire',
    );
    return false;
  }
}
