/**
 * What is closed or deleted is out of sight at once, in a short transaction. What it leaves is erased afterwards in
 * parts, each a transaction of bounded size, so that nobody waits because another agent has stored much. The row in
 * `erasures` holds the place, so any process continues where another stopped.
 */
import { and, gt } from 'drizzle-orm';
import { findPage, type PagedRows, type PageMax, pageMax } from '#db/pages.ts';
import type { ErasureKind } from '#db/schema/operation-tables.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { TransactionCtx } from '../context.ts';

/**
 * Erases the next part.
 * @param after the last row that was erased; null at the beginning
 * @returns the last row of this part; null if it was the last part
 */
export type ErasingStep = (
  ctx: TransactionCtx,
  subjectId: string,
  after: string | null,
  max: PageMax,
) => Promise<string | null>;

/** In their order, by the name under which the store keeps the place. Each may be repeated. */
export type ErasingSteps = Readonly<Record<string, ErasingStep>>;

/** A step that erases some rows page by page. */
export function eachPage(
  rowsOf: (tables: Tables, subjectId: string) => PagedRows,
  erase: (ctx: TransactionCtx, subjectId: string, ids: readonly string[]) => Promise<unknown>,
): ErasingStep {
  return async (ctx, subjectId, after, max) => {
    const rows = rowsOf(ctx.db.tables, subjectId);
    const where = and(rows.where, after === null ? undefined : gt(rows.id, after));
    const page = await findPage<unknown>(ctx.db, { ...rows, where }, max);
    const ids = page.ids.map(String);
    if (ids.length > 0) await erase(ctx, subjectId, ids);
    return page.isLast ? null : (ids.at(-1) ?? null);
  };
}

/** Schedules subjects to be erased soon after the transaction. A second call starts again at the first step. */
export async function scheduleErasing(
  { db, clock }: TransactionCtx,
  kind: ErasureKind,
  subjectIds: readonly string[],
): Promise<void> {
  if (subjectIds.length === 0) return;
  const { erasures } = db.tables;
  const begun = { step: null, after: null, passes: 0, dueAt: clock.now() };
  await db.query
    .insert(erasures)
    .values(subjectIds.map((subjectId) => ({ kind, subjectId, ...begun })))
    .onConflictDoUpdate({ target: [erasures.kind, erasures.subjectId], set: begun });
}

/** Erases a first part at once, which is the whole of most subjects, and the rest later. */
export async function eraseLater(
  ctx: TransactionCtx,
  kind: ErasureKind,
  subjectId: string,
  step: ErasingStep,
): Promise<void> {
  if ((await step(ctx, subjectId, null, pageMax)) !== null) await scheduleErasing(ctx, kind, [subjectId]);
}
