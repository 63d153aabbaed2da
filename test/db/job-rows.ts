/** The smallest row of the schema, for tests that only need something to write and read back. */
import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { createId } from '#runtime/create-id.ts';

export function jobRow(id: string, payload: unknown = {}, closedAt: Date | null = null) {
  const now = new Date();
  return { id, kind: 'test', payload, createdAt: now, runAt: now, publishedAt: now, closedAt };
}

export async function insertJobRow(db: Database, id: string = createId(new Date())): Promise<string> {
  await db.query.insert(db.tables.jobs).values(jobRow(id));
  return id;
}

export async function jobRowExists(db: Database, id: string): Promise<boolean> {
  const { jobs } = db.tables;
  return (await db.query.select({ id: jobs.id }).from(jobs).where(eq(jobs.id, id))).length === 1;
}
