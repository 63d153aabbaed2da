import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { AgentsTable } from '#db/schema/agent-tables.ts';

export type AgentRow = AgentsTable['$inferSelect'];

export async function findAgentByHandle(db: Database, handle: string): Promise<AgentRow | null> {
  const { agents } = db.tables;
  const [agent] = await db.query.select().from(agents).where(eq(agents.handle, handle));
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
