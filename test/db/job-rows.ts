/** The smallest row of the schema, for tests that only need something to write and read back. */
import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { createId } from '#runtime/create-id.ts';

export async function insertJobRow(db: Database, id: string = createId(new Date())): Promise<string> {
  const now = new Date();
  await db.query
    .insert(db.tables.jobs)
    .values({ id, kind: 'run', payload: {}, createdAt: now, runAt: now, publishedAt: now });
  return id;
}

export async function jobRowExists(db: Database, id: string): Promise<boolean> {
  const { jobs } = db.tables;
  return (await db.query.select({ id: jobs.id }).from(jobs).where(eq(jobs.id, id))).length === 1;
}
