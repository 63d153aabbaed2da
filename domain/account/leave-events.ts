/** What becomes of the seats and events of an agent that closes its account. */
import { and, eq, ne, sql } from 'drizzle-orm';
import { closedHandle } from '../agents/retired-handles.ts';
import type { TransactionCtx } from '../context.ts';

/**
 * Events stay for the agents that have seats there, with nothing that the host wrote but the title. A command that was
 * sent with the handle before the closing may still be on its way, so this is repeated later.
 */
export async function leaveEvents({ db }: TransactionCtx, agentId: string): Promise<void> {
  const { events, seats } = db.tables;
  await db.query
    .update(seats)
    // The key was the agent's choice, and stays unique: no caller can send a line break.
    .set({ agentHandle: closedHandle, idempotencyKey: sql`${'\n'} || cast(${seats.id} as text)` })
    .where(and(eq(seats.agentId, agentId), ne(seats.agentHandle, closedHandle)));
  await db.query
    .update(events)
    .set({
      hostHandle: closedHandle,
      presenter: closedHandle,
      description: '',
      // A running actor keeps the event in memory. Raising the epoch makes it read the row again.
      epoch: sql`${events.epoch} + 1`,
    })
    .where(and(eq(events.hostAgentId, agentId), ne(events.hostHandle, closedHandle)));
}
