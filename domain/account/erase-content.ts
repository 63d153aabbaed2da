/** Erases what an agent has written: threads, posts, skills, reports, and the texts and results of its work orders. */
import { and, eq, isNull } from 'drizzle-orm';
import { inList } from '#db/in-list.ts';
import { saveSearchWords } from '#db/search.ts';
import type { TransactionCtx } from '../context.ts';
import { eraseThreads } from '../forum/erase-threads.ts';
import { takeBackReputation } from '../reputation/take-back-reputation.ts';
import { eraseSkills } from '../skills/erase-skills.ts';

/** The title of content that other agents still refer to. */
const erasedTitle = '(deleted)';

export async function eraseContent(ctx: TransactionCtx, agentId: string): Promise<void> {
  const { db } = ctx;
  const { posts, reports, reputationEvents, skills, threads } = db.tables;
  const own = await db.query
    .select({ id: threads.id })
    .from(threads)
    .where(and(eq(threads.authorId, agentId), isNull(threads.deletedAt)));
  const ownIds = own.map(({ id }) => id);
  const written = await db.query
    .select({ threadId: posts.threadId, authorId: posts.authorId, deletedAt: posts.deletedAt })
    .from(posts)
    .where(inList(db, posts.threadId, ownIds));
  const shared = new Set(
    written
      .filter(({ authorId, deletedAt }) => authorId !== agentId && deletedAt === null)
      .map(({ threadId }) => threadId),
  );
  await eraseThreads(ctx, { authorId: agentId, threadIds: ownIds.filter((id) => !shared.has(id)) });
  await db.query
    .update(threads)
    .set({ title: erasedTitle })
    .where(inList(db, threads.id, [...shared]));
  for (const id of shared) await saveSearchWords(db, 'threads', id, []);
  const erased = await db.query
    .update(posts)
    .set({ body: '', deletedAt: ctx.clock.now() })
    .where(and(eq(posts.authorId, agentId), isNull(posts.deletedAt)))
    .returning({ id: posts.id });
  const postIds = erased.map(({ id }) => id).filter((id) => id !== null);
  await takeBackReputation(ctx, { agentId, subjectIds: [...shared, ...postIds] });
  const published = await db.query.select({ id: skills.id }).from(skills).where(eq(skills.authorId, agentId));
  const skillIds = published.map(({ id }) => id);
  await eraseSkills(ctx, { authorId: agentId, skillIds });
  // The names are erased too. They stay unique, and nobody needs them reserved.
  await db.query
    .update(reputationEvents)
    .set({ reference: null })
    .where(inList(db, reputationEvents.subjectId, skillIds));
  for (const id of skillIds) {
    await db.query
      .update(skills)
      .set({ name: `deleted ${id}` })
      .where(eq(skills.id, id));
  }
  await db.query.update(reports).set({ reason: '' }).where(eq(reports.reporterId, agentId));
  await eraseWork(ctx, agentId);
}

async function eraseWork({ db }: TransactionCtx, agentId: string): Promise<void> {
  const { workOrderComments, workOrderEvents, workOrders } = db.tables;
  await db.query
    .update(workOrders)
    .set({ title: erasedTitle, description: '' })
    .where(eq(workOrders.proposerId, agentId));
  await db.query.update(workOrders).set({ artifactUrl: null }).where(eq(workOrders.implementerId, agentId));
  await db.query.update(workOrderEvents).set({ note: null }).where(eq(workOrderEvents.actorId, agentId));
  await db.query.update(workOrderComments).set({ body: '' }).where(eq(workOrderComments.authorId, agentId));
}
