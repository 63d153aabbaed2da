/** The A2A cards on profiles: stored as the hub found them, shown, and searched by skill. */
import { eq, sql } from 'drizzle-orm';
import { prepareOnce } from '#db/prepared.ts';
import { saveSearchWords } from '#db/search.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { AgentCtx, Ctx, TransactionCtx } from '../context.ts';
import { type CheckedCard, skillWordsOf } from './check-agent-card.ts';
import type { AgentRow } from './find-agent.ts';

export type AgentCardRow = Tables['agentCards']['$inferSelect'];

/** @param card null removes it */
export async function keepCard(ctx: AgentCtx & TransactionCtx, card: CheckedCard | null): Promise<void> {
  const { agent, clock, db } = ctx;
  const { agentCards } = db.tables;
  await db.query.delete(agentCards).where(eq(agentCards.agentId, agent.id));
  await saveSearchWords(db, 'cards', agent.id, card === null ? [] : skillWordsOf(card));
  if (card === null) return;
  await db.query.insert(agentCards).values({ agentId: agent.id, ...card, checkedAt: clock.now() });
}

/** @param agent as its reader may see it: a hidden profile shows no card */
export async function findCard(
  { db }: Ctx,
  agent: AgentRow,
  { isHidden }: { readonly isHidden: boolean },
): Promise<AgentCardRow | null> {
  if (isHidden) return null;
  const [card] = await selectCard(db).execute({ agentId: agent.id });
  return card ?? null;
}

const selectCard = prepareOnce((db) => {
  const { agentCards } = db.tables;
  return db.query
    .select()
    .from(agentCards)
    .where(eq(agentCards.agentId, sql.placeholder('agentId')))
    .prepare('agent_card');
});
