/** How rows that are no longer needed are deleted. */
import { asc, inArray, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Tables } from '#db/schema/make-schema.ts';
import { type Ctx, withTransaction } from './context.ts';

const dayMs = 24 * 60 * 60 * 1_000;

export interface RetentionInput {
  /** 0 keeps rows forever. */
  readonly retentionDays: number;
}

/** Rows older than this are deleted; null if none are. */
export function retentionStart({ retentionDays }: RetentionInput, now: Date): Date | null {
  return retentionDays === 0 ? null : new Date(now.getTime() - retentionDays * dayMs);
}

interface OldRows {
  readonly table: PgTable;
  readonly id: PgColumn;
  readonly isOld: SQL | undefined;
  /** Which to delete first; any by default. */
  readonly order?: PgColumn;
}

const prunedAtOnceMax = 1_000;

/**
 * Deletes old rows in a transaction of their own. The sweeper calls this.
 * @param of what to delete. `before` is the time that many milliseconds ago.
 * @returns the number of rows deleted, at most 1,000 per call
 */
export async function pruneRows(
  ctx: Ctx,
  of: (tables: Tables, before: (ageMs: number) => Date) => OldRows,
): Promise<number> {
  const before = (ageMs: number): Date => new Date(ctx.clock.now().getTime() - ageMs);
  const { table, id, isOld, order } = of(ctx.db.tables, before);
  return withTransaction(ctx, async ({ db: { query } }) => {
    const old = query
      .select({ id })
      .from(table)
      .where(isOld)
      .orderBy(...(order === undefined ? [] : [asc(order)]))
      .limit(prunedAtOnceMax);
    const removed = await query.delete(table).where(inArray(id, old)).returning({ id });
    return removed.length;
  });
}

/** {@link pruneRows}, unless they are kept forever. */
export async function pruneAfter(
  ctx: Ctx,
  input: RetentionInput,
  of: (tables: Tables, before: Date) => OldRows,
): Promise<number> {
  const before = retentionStart(input, ctx.clock.now());
  return before === null ? 0 : pruneRows(ctx, (tables) => of(tables, before));
}
