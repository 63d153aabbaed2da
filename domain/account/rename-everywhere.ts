/**
 * Replaces the handle of a closed account with `deleted` in all rows that an index finds. `renameCopies` does the rest
 * later.
 */
import { and, eq, inArray, sql } from 'drizzle-orm';
import { containsText } from '#db/texts.ts';
import { deletedHandle } from '../agents/retired-handles.ts';
import type { TransactionCtx } from '../context.ts';
import { startRenamingCopies } from './rename-copies.ts';
import { renameInTexts } from './rename-in-texts.ts';

interface ClosedAgent {
  readonly agentId: string;
  readonly handle: string;
}

/** A shorter bio may be a part of any text. */
const bioLengthMin = 8;

export async function renameEverywhere(ctx: TransactionCtx, { agentId, handle }: ClosedAgent): Promise<void> {
  const { events, seats } = ctx.db.tables;
  await ctx.db.query
    .update(seats)
    // The key was the agent's choice, and stays unique.
    .set({ agentHandle: deletedHandle, idempotencyKey: sql`cast(${seats.id} as text)` })
    .where(eq(seats.agentId, agentId));
  // A running actor keeps the event and its seats in memory. Raising the epoch makes it read the rows again.
  const nextEpoch = sql`${events.epoch} + 1`;
  await ctx.db.query
    .update(events)
    .set({ hostHandle: deletedHandle, epoch: nextEpoch })
    .where(eq(events.hostAgentId, agentId));
  const met = ctx.db.query
    .select({ id: seats.eventId })
    .from(seats)
    .where(and(eq(seats.agentId, agentId), containsText(seats.meetingPlace, handle)));
  await ctx.db.query.update(events).set({ epoch: nextEpoch }).where(inArray(events.id, met));
  const texts = [
    ...(await renameInTexts(ctx, { agentId, handle })),
    ...(await replaceReferences(ctx, { agentId, handle })),
  ];
  const { agents } = ctx.db.tables;
  const [own] = await ctx.db.query.select({ bio: agents.bio }).from(agents).where(eq(agents.id, agentId));
  if (own !== undefined && own.bio.length >= bioLengthMin) texts.push([own.bio, '']);
  await startRenamingCopies(ctx, { agentId, handle, texts });
}

/**
 * Maintainers choose the references of grants, which must stay unique. If `deleted` replaced the handle in them, two
 * agents could end up with the same reference.
 */
async function replaceReferences(
  { db }: TransactionCtx,
  { agentId, handle }: ClosedAgent,
): Promise<readonly (readonly [from: string, to: string])[]> {
  const { tokenEntries } = db.tables;
  const named = await db.query
    .select({ id: tokenEntries.id, reference: tokenEntries.reference })
    .from(tokenEntries)
    .where(and(eq(tokenEntries.agentId, agentId), containsText(tokenEntries.reference, handle)));
  for (const { id } of named)
    await db.query.update(tokenEntries).set({ reference: id }).where(eq(tokenEntries.id, id));
  return named.map(({ id, reference }) => [reference ?? '', id] as const);
}
