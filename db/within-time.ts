/** Conditions and values that need arithmetic with instants, which the stores do in different ways. */
import { type Column, type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { isLongEvent } from './schema/index-conditions.ts';

/** Whether two instants are at most this long apart. */
export function isWithinTime({ dialect }: Database, one: Column, other: Column, ms: number): SQL {
  const limit = dialect === 'postgres' ? `interval '${ms} milliseconds'` : String(ms);
  return sql`${one} <= ${other} + ${sql.raw(limit)} and ${other} <= ${one} + ${sql.raw(limit)}`;
}

/** The number of whole periods between the epoch, moved by `offsetMs` into the past, and an instant. */
export function periodNumber(
  { dialect }: Database,
  instant: Column,
  { periodMs, offsetMs }: { readonly periodMs: number; readonly offsetMs: number },
): SQL {
  const periods = sql.raw(`${offsetMs}) / ${periodMs}`);
  switch (dialect) {
    case 'sqlite':
      return sql`(${instant} + ${periods}`;
    case 'postgres':
      // `extract` returns a decimal, whose division takes longer than reading the row.
      return sql`floor((round(date_part('epoch', ${instant}) * 1000) + ${periods})`;
  }
}

/** Whether an event is in the index of long ones. */
export function isLongEventOf({ dialect, tables }: Database): SQL {
  return isLongEvent(tables.events, dialect);
}
