/**
 * The last steps of a renaming, outside the tables. In `files`, the sweeper renames the mails that were written to files;
 * in `pages`, the handle is no longer in any row, and what the store keeps of deleted rows is erased.
 */
import { and, asc, eq, not } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { deletedHandle } from '../agents/retired-handles.ts';
import { type Ctx, withTransaction } from '../context.ts';

export const placesOutsideTables = ['files', 'pages'] as const;

export type PendingRename = Ctx['db']['tables']['pendingRenames']['$inferSelect'];

const accountsAtOnceMax = 100;

/** @param leftOut ids of agents to pass over */
export async function findPendingRenames(
  { db }: Ctx,
  place: (typeof placesOutsideTables)[number],
  leftOut: readonly string[] = [],
): Promise<readonly PendingRename[]> {
  const { pendingRenames } = db.tables;
  return db.query
    .select()
    .from(pendingRenames)
    .where(and(eq(pendingRenames.place, place), not(inList(db, pendingRenames.agentId, leftOut))))
    .orderBy(asc(pendingRenames.closedAt), asc(pendingRenames.agentId))
    .limit(accountsAtOnceMax);
}

/** Records up to which file the handle is renamed. */
export async function recordRenamedFiles(
  ctx: Ctx,
  { agentId, last }: { readonly agentId: string; readonly last: string },
): Promise<void> {
  const { pendingRenames } = ctx.db.tables;
  await withTransaction(ctx, ({ db }) =>
    db.query
      .update(pendingRenames)
      .set({ after: [last] })
      .where(and(eq(pendingRenames.agentId, agentId), eq(pendingRenames.place, 'files'))),
  );
}

/**
 * Forgets the handle itself, when all files are renamed.
 * @returns false if another sweeper has done it
 */
export async function forgetHandle(ctx: Ctx, agentId: string): Promise<boolean> {
  const { pendingRenames } = ctx.db.tables;
  const forgotten = await withTransaction(ctx, ({ db }) =>
    db.query
      .update(pendingRenames)
      .set({ place: 'pages', after: null, handle: deletedHandle, texts: [] })
      .where(and(eq(pendingRenames.agentId, agentId), eq(pendingRenames.place, 'files')))
      .returning({ agentId: pendingRenames.agentId }),
  );
  return forgotten.length > 0;
}

/** Ends the renaming of these accounts, when nothing of them is left. */
export async function endRenaming(ctx: Ctx, agentIds: readonly string[]): Promise<void> {
  const { pendingRenames } = ctx.db.tables;
  await withTransaction(ctx, ({ db }) =>
    db.query
      .delete(pendingRenames)
      .where(and(inList(db, pendingRenames.agentId, [...agentIds]), eq(pendingRenames.place, 'pages'))),
  );
}
