/** Erases the contents of an author's skills, except for their names. */
import { inList } from '#db/in-list.ts';
import { saveSearchWords } from '#db/search.ts';
import type { TransactionCtx } from '../context.ts';
import { takeBackReputation } from '../reputation/take-back-reputation.ts';

export async function eraseSkills(
  ctx: TransactionCtx,
  { authorId, skillIds }: { readonly authorId: string; readonly skillIds: readonly string[] },
): Promise<void> {
  if (skillIds.length === 0) return;
  const { skills, skillVersions } = ctx.db.tables;
  await ctx.db.query
    .update(skills)
    .set({ description: '', repoUrl: '', manifestUrl: null, deletedAt: ctx.clock.now() })
    .where(inList(ctx.db, skills.id, skillIds));
  await ctx.db.query.delete(skillVersions).where(inList(ctx.db, skillVersions.skillId, skillIds));
  for (const id of skillIds) await saveSearchWords(ctx.db, 'skills', id, []);
  await takeBackReputation(ctx, { agentId: authorId, subjectIds: skillIds });
}
