import { type Column, gt, lte, type SQL, sql } from 'drizzle-orm';

/**
 * Whether an instant is in the window that ends now. A row from the time after now was written while the clock was
 * ahead, and must not count until then.
 */
export function isWithin(column: Column, since: Date, now: Date): SQL {
  return sql`(${gt(column, since)} and ${lte(column, now)})`;
}
