import { and, desc, eq, gt, isNull, or, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { Tables } from '#db/schema/make-schema.ts';

export type SupportRow = Tables['supporters']['$inferSelect'];

/**
 * The condition for support that is active at `now`. Support ends at `ends_at`, so that instant is excluded.
 */
export function isActiveSupport({ tables }: Database, now: Date | Placeholder): SQL | undefined {
  const { supporters } = tables;
  return and(
    isNull(supporters.endedAt),
    or(isNull(supporters.endsAt), gt(supporters.endsAt, sql.param(now, supporters.endsAt))),
  );
}

/** The agent's active support, or null. */
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

/** The agent's active support, otherwise its last one, or null. */
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
