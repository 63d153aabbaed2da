/** Records when tokens were last used, so that their owners can see which are in use. */
import { and, inArray, isNull, lt, or } from 'drizzle-orm';
import { type Ctx, withTransaction } from '../../context.ts';

/** Sets `last_used_at` to `usedAt` unless a later use is already recorded. */
export async function markTokensUsed(
  ctx: Ctx,
  input: { readonly tokenIds: readonly string[]; readonly usedAt: Date },
): Promise<void> {
  if (input.tokenIds.length === 0) return;
  await withTransaction(ctx, async ({ db }) => {
    const { bearerTokens } = db.tables;
    await db.query
      .update(bearerTokens)
      .set({ lastUsedAt: input.usedAt })
      .where(
        and(
          inArray(bearerTokens.id, [...input.tokenIds]),
          or(isNull(bearerTokens.lastUsedAt), lt(bearerTokens.lastUsedAt, input.usedAt)),
        ),
      );
  });
}
