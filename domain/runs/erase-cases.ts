/** Erases the cases of a run whose row no longer says anything about them. */
import { and, eq } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { eachPage, type ErasingStep } from '../erasing/erasures.ts';

const ofTable = (name: 'runItems' | 'runLeases'): ErasingStep => {
  const rowsOf = (tables: Tables, runId: string) => {
    const table = tables[name];
    return { table, id: table.itemIndex, where: eq(table.runId, runId) };
  };
  return eachPage(rowsOf, ({ db }, runId, indexes) => {
    const table = db.tables[name];
    const { where } = rowsOf(db.tables, runId);
    return db.query.delete(table).where(and(where, inList(db, table.itemIndex, indexes)));
  });
};

const [items, leases] = [ofTable('runItems'), ofTable('runLeases')];

/** What it has erased is gone, so it always begins at the beginning. */
export const eraseCases: ErasingStep = async (ctx, runId, _after, max) =>
  (await items(ctx, runId, null, max)) ?? leases(ctx, runId, null, max);
