/** The smallest row of the schema, for tests that only need something to write and read back. */
import type { Database } from '#db/database.ts';
import { createId } from '#runtime/create-id.ts';
import { rowsOf } from '#test/harness/rows.ts';

export function jobRow(id: string, payload: unknown = {}, closedAt: Date | null = null) {
  const now = new Date();
  return { id, kind: 'test', payload, createdAt: now, runAt: now, publishedAt: now, closedAt };
}

export async function insertJobRow(db: Database, id: string = createId(new Date())): Promise<string> {
  await db.query.insert(db.tables.jobs).values(jobRow(id));
  return id;
}

export async function jobRowExists(db: Database, id: string): Promise<boolean> {
  return (await rowsOf({ db }, 'jobs', { id })).length === 1;
}
