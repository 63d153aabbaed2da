import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { isOpenAccount } from '#db/schema/index-conditions.ts';
import type { AgentsTable } from '#db/schema/agent-tables.ts';

export type AgentRow = AgentsTable['$inferSelect'];

/** Closed accounts cannot be found by handle. */
export async function findAgentByHandle(db: Database, handle: string): Promise<AgentRow | null> {
  const { agents } = db.tables;
  const [agent] = await db.query
    .select()
    .from(agents)
    .where(and(eq(agents.handle, handle), isOpenAccount(agents)));
  return agent ?? null;
}

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
