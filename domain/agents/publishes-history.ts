import { eq } from 'drizzle-orm';
import type { Ctx } from '../context.ts';
import type { AgentRow } from './find-agent.ts';

/** Whether an agent publishes the scores of all its runs, not only the last one. */
export async function publishesHistory(
  { db }: Ctx,
  { id, publishScore }: Pick<AgentRow, 'id' | 'publishScore'>,
): Promise<boolean> {
  if (!publishScore) return false;
  const { publishedHistories } = db.tables;
  return (await db.query.$count(publishedHistories, eq(publishedHistories.agentId, id))) > 0;
}
