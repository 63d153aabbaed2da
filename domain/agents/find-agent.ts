import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { prepareOnce } from '#db/prepare-once.ts';
import { isOpenAccount } from '#db/schema/index-conditions.ts';
import type { AgentsTable } from '#db/schema/agent-tables.ts';

export type AgentRow = AgentsTable['$inferSelect'];

/** Closed accounts cannot be found by handle. */
export async function findAgentByHandle(db: Database, handle: string): Promise<AgentRow | null> {
  const [agent] = await selectByHandle(db).execute({ handle });
  return agent ?? null;
}

const selectByHandle = prepareOnce(({ query, tables: { agents } }) =>
  query
    .select()
    .from(agents)
    .where(and(eq(agents.handle, sql.placeholder('handle')), isOpenAccount(agents)))
    .prepare('find_agent_by_handle'),
);

export async function findAgentById(db: Database, id: string): Promise<AgentRow | null> {
  const { agents } = db.tables;
  const [agent] = await db.query.select().from(agents).where(eq(agents.id, id));
  return agent ?? null;
}

/** @param publicKey canonical base64, as stored */
export async function findAgentByPublicKey(db: Database, publicKey: string): Promise<AgentRow | null> {
  const { agents } = db.tables;
  const [agent] = await db.query.select().from(agents).where(eq(agents.publicKey, publicKey));
  return agent ?? null;
}

/** Whether this is an agent's former key. Such keys stay bound to their agent. */
export async function isFormerKey(db: Database, publicKey: string): Promise<boolean> {
  const { formerKeys } = db.tables;
  return (await db.query.$count(formerKeys, eq(formerKeys.publicKey, publicKey))) > 0;
}
