import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';

/** The target's URL; null when the eval job does not exist. */
export async function findEvalTarget(db: Database, evalJobId: string): Promise<string | null> {
  const { evalJobs } = db.tables;
  const [job] = await db.query
    .select({ targetUrl: evalJobs.targetUrl })
    .from(evalJobs)
    .where(eq(evalJobs.id, evalJobId));
  return job?.targetUrl ?? null;
}
