/**
 * Records that a visitor would like to support the hub. Nothing else follows: no account, subscription or
 * charge.
 */
import type { SupportTier } from '#db/schema/standing-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { type Ctx, withTransaction } from '../context.ts';

/** In code points. */
export const intentContactLengthMax = 200;

export interface RecordSupportIntentInput {
  readonly tier: SupportTier;
  /** How to reach the visitor. Only the operator sees it. */
  readonly contact: string | null;
}

export async function recordSupportIntent(ctx: Ctx, input: RecordSupportIntentInput): Promise<void> {
  await withTransaction(ctx, async ({ db, clock }) => {
    const now = clock.now();
    await db.query.insert(db.tables.supportIntents).values({
      id: createId(now),
      tier: input.tier,
      contact: input.contact,
      createdAt: now,
    });
  });
}
