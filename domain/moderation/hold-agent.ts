import { and, eq } from 'drizzle-orm';
import { lockReferencedRows } from '#db/locks.ts';
import { isOpenAccount } from '#db/schema/index-conditions.ts';
import type { AgentRow } from '../agents/find-agent.ts';
import type { TransactionCtx } from '../context.ts';

/**
 * Finds an agent by its handle and locks its row for a change. Redemptions, which lock the account and insert rows of
 * the agent, need not wait for it.
 */
export async function holdAgent({ db }: TransactionCtx, handle: string): Promise<AgentRow | null> {
  const { agents } = db.tables;
  const [agent] = await lockReferencedRows(
    db,
    db.query
      .select()
      .from(agents)
      .where(and(eq(agents.handle, handle), isOpenAccount(agents))),
  );
  return agent ?? null;
}
