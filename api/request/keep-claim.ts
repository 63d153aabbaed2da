import { type BearerCtx, withoutAgent } from '#domain/context.ts';
import { type Claim, extendClaim } from '#domain/idempotency/claim-key.ts';
import type { Logger } from '#runtime/tracing/log.ts';

const extendEveryMs = 1_500;
/** Longer than any request runs. A claim of one that hangs lapses. */
const keptForMs = 120_000;

/**
 * Extends the claim while the work runs. A claim that cannot be extended lapses, and storing the response fails if
 * another request has taken it over.
 */
export async function whileKeepingClaim<T>(
  ctx: BearerCtx,
  claim: Claim,
  logger: Logger,
  work: () => Promise<T>,
): Promise<T> {
  const endsAt = performance.now() + keptForMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDone = false;
  const extend = async (): Promise<void> => {
    try {
      if (!(await extendClaim(withoutAgent(ctx), claim))) return;
    } catch (err) {
      logger.debug({ err }, 'could not extend an idempotency claim');
    }
    schedule();
  };
  const schedule = (): void => {
    if (isDone || performance.now() > endsAt) return;
    timer = setTimeout(() => void extend(), extendEveryMs);
    timer.unref();
  };
  schedule();
  try {
    return await work();
  } finally {
    isDone = true;
    clearTimeout(timer);
  }
}
