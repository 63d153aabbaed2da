/** Somebody says that it would support the hub. It is noted and nothing else: no account, no subscription, no charge. */
import type { SupportTier } from '#db/schema/standing-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { type Ctx, withTransaction } from '../context.ts';

/** In code points. */
export const intentContactLengthMax = 200;

export interface RecordSupportIntentInput {
  readonly tier: SupportTier;
  /** How to reach whoever it is; for the operator's eyes alone. */
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
