/** Ends a long response once the token of its caller is revoked. */
import { requireValidToken } from '#domain/agents/bearer-tokens.ts';
import type { BearerCtx } from '#domain/context.ts';

const checkEveryMs = 500;

/** Suspended agents are let through. @throws DomainError invalid_token, which aborts the response */
export async function* whileTokenIsValid(
  ctx: BearerCtx,
  pieces: AsyncGenerator<string>,
): AsyncGenerator<string> {
  let checkedAt = performance.now();
  for await (const piece of pieces) {
    if (performance.now() - checkedAt > checkEveryMs) {
      await requireValidToken(ctx, { openToSuspended: true });
      checkedAt = performance.now();
    }
    yield piece;
  }
}
