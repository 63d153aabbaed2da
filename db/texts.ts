/** Conditions and values on texts, and on JSON that is stored as text, which the stores treat in different ways. */
import { type Column, type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.ts';

/** Whether a column contains a lower-case ASCII text in any case. LIKE ignores the case only in SQLite. */
export function containsText(column: Column, text: string): SQL {
  return sql`lower(cast(${column} as text)) like ${`%${text}%`}`;
}

/** A text as the value of a JSON column. */
export function asJson({ dialect }: Database, text: SQL): SQL {
  return dialect === 'postgres' ? sql`(${text})::json` : text;
}
