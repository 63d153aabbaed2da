/** Which target an eval job is for, as a runner asks before it takes the job up. */
import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';

/** @returns null when there is no such job */
export async function findEvalTarget(db: Database, evalJobId: string): Promise<string | null> {
  const { evalJobs } = db.tables;
  const [job] = await db.query
    .select({ targetUrl: evalJobs.targetUrl })
    .from(evalJobs)
    .where(eq(evalJobs.id, evalJobId));
  return job?.targetUrl ?? null;
}
