import { type Column, type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.ts';

/** Whether two instants are at most this long apart. The stores subtract instants in different ways. */
export function isWithinTime({ dialect }: Database, one: Column, other: Column, ms: number): SQL {
  const limit = dialect === 'postgres' ? `interval '${ms} milliseconds'` : String(ms);
  return sql`${one} <= ${other} + ${sql.raw(limit)} and ${other} <= ${one} + ${sql.raw(limit)}`;
}
