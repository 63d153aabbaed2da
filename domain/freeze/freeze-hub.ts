/**
 * Freezing a hub: nothing is stored until it is unfrozen, so that its database can be copied or looked at in peace. Every
 * process follows the row within seconds; see `db/freeze-guard.ts`.
 */
import { eq } from 'drizzle-orm';
import { freezeOf, storingWhileFrozen } from '#db/freeze-guard.ts';
import { lockName } from '#db/transaction.ts';
import { isFreezeInForce } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { createId } from '#runtime/create-id.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';

export type FreezeRow = Tables['hubFreezes']['$inferSelect'];

/** The freeze in force; null if there is none. */
export async function readFreeze({ db }: Pick<Ctx, 'db'>): Promise<FreezeRow | null> {
  const { hubFreezes } = db.tables;
  const [row = null] = await db.query.select().from(hubFreezes).where(isFreezeInForce(hubFreezes)).limit(1);
  return row;
}

export interface FreezeOutcome {
  readonly freeze: FreezeRow | null;
  /** False if the hub was already in this state. */
  readonly changed: boolean;
}

/** Freezes the hub. A hub that is frozen stays so, with its first reason. */
export function freezeHub(ctx: Ctx, { reason }: { readonly reason: string | null }): Promise<FreezeOutcome> {
  return storingWhileFrozen(() =>
    withTransaction(ctx, async (inner) => {
      await lockName(inner.db, 'freeze');
      const present = await readFreeze(inner);
      if (present !== null) return { freeze: present, changed: false };
      const now = inner.clock.now();
      const freeze = { id: createId(now), reason, frozenAt: now, unfrozenAt: null };
      await inner.db.query.insert(inner.db.tables.hubFreezes).values(freeze);
      return { freeze, changed: true };
    }),
  );
}

/** @returns the freeze that has ended */
export function unfreezeHub(ctx: Ctx): Promise<FreezeOutcome> {
  return storingWhileFrozen(() =>
    withTransaction(ctx, async (inner) => {
      await lockName(inner.db, 'freeze');
      const present = await readFreeze(inner);
      if (present === null) return { freeze: null, changed: false };
      const { hubFreezes } = inner.db.tables;
      const unfrozenAt = inner.clock.now();
      await inner.db.query.update(hubFreezes).set({ unfrozenAt }).where(eq(hubFreezes.id, present.id));
      return { freeze: { ...present, unfrozenAt }, changed: true };
    }),
  );
}

/**
 * For a read whose result must be stored, because a frozen hub rolls back what reads store. Call it outside any transaction.
 * @throws DomainError hub_frozen
 */
export async function requireNotFrozen({ db }: Pick<Ctx, 'db'>): Promise<void> {
  if ((await freezeOf(db)) !== null) throw hubFrozen();
}

/** Rarely shorter than a minute, so asking more often is of no use. */
const frozenRetryAfterSeconds = 30;

export function hubFrozen(cause: unknown = null): DomainError {
  return new DomainError(
    'hub_frozen',
    'The operator has frozen this hub: it can be read, and stores nothing.',
    {
      hint: 'Nothing was changed. Send the same request again later, with the same `Idempotency-Key` if you sent one. A freeze usually lasts a few minutes.',
      retryAfterSeconds: frozenRetryAfterSeconds,
      ...(cause === null ? {} : { cause }),
    },
  );
}
