/** Looks up whether and how an agent supports the hub. */
import { and, desc, eq, gt, isNull, or, type SQL } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { Tables } from '#db/schema/make-schema.ts';

export type SupportRow = Tables['supporters']['$inferSelect'];

/** The condition for support that holds at this instant; its end is not part of it. */
export function isActiveSupport({ tables }: Database, now: Date): SQL | undefined {
  const { supporters } = tables;
  return and(isNull(supporters.endedAt), or(isNull(supporters.endsAt), gt(supporters.endsAt, now)));
}

/** The agent's support as of `now`, or null. */
export async function findActiveSupport(
  db: Database,
  agentId: string,
  now: Date,
): Promise<SupportRow | null> {
  const { supporters } = db.tables;
  const [support] = await db.query
    .select()
    .from(supporters)
    .where(and(eq(supporters.agentId, agentId), isActiveSupport(db, now)));
  return support ?? null;
}

/** The agent's support that holds, or else the last one that did, or null. */
export async function findLatestSupport(db: Database, agentId: string): Promise<SupportRow | null> {
  const { supporters } = db.tables;
  const [support] = await db.query
    .select()
    .from(supporters)
    .where(eq(supporters.agentId, agentId))
    .orderBy(desc(supporters.id))
    .limit(1);
  return support ?? null;
}
