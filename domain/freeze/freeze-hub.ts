/**
 * Freezing a hub: nothing is stored until it is unfrozen, so that its database can be copied or looked at in peace. Every
 * process follows the row within seconds; see `guardFreeze`.
 */
import { type Freeze, freezeOf, lockName, readFreeze, storingWhileFrozen } from '#db/transaction.ts';
import { freezeSetting } from '#db/schema/hub-tables.ts';
import { type Ctx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { storeSetting } from '../settings/change-setting.ts';

export interface FreezeOutcome {
  readonly freeze: Freeze | null;
  /** False if the hub was already in this state. */
  readonly changed: boolean;
}

/** Freezes the hub. A hub that is frozen stays so, with its first reason. */
export function freezeHub(ctx: Ctx, { reason }: { readonly reason: string | null }): Promise<FreezeOutcome> {
  return storingWhileFrozen(() =>
    withTransaction(ctx, async (inner) => {
      await lockName(inner.db, 'freeze');
      const present = await readFreeze(inner.db);
      if (present !== null) return { freeze: present, changed: false };
      await storeSetting(inner, { name: freezeSetting, value: reason ?? '' }, null);
      return { freeze: await readFreeze(inner.db), changed: true };
    }),
  );
}

/** @returns the freeze that has ended */
export function unfreezeHub(ctx: Ctx): Promise<FreezeOutcome> {
  return storingWhileFrozen(() =>
    withTransaction(ctx, async (inner) => {
      await lockName(inner.db, 'freeze');
      const freeze = await readFreeze(inner.db);
      await storeSetting(inner, { name: freezeSetting, value: null }, null);
      return { freeze, changed: freeze !== null };
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
