import { eq, inArray } from 'drizzle-orm';
import { lockName, lockReferencedRows, lockRows } from '#db/locks.ts';
import type { TransactionCtx } from '../context.ts';
import { findSubject, type Subject, type SubjectName } from './subjects.ts';

/**
 * Finds a subject and locks it for a maintainer's change.
 * @throws DomainError subject_not_found
 */
export async function holdSubject(ctx: TransactionCtx, name: SubjectName): Promise<Subject> {
  await lockName(ctx.db, `moderation ${name.kind} ${name.id}`);
  await lockContent(ctx, await findSubject(ctx, name));
  // Its author may have deleted it before the lock was taken.
  return findSubject(ctx, name);
}

/** Takes the lock that the author's own changes take. */
async function lockContent({ db }: TransactionCtx, { kind, rowId }: Subject): Promise<void> {
  const { agents, posts, sharedRuns, skills, threads } = db.tables;
  switch (kind) {
    case 'thread':
      await lockRows(db, db.query.select({ id: threads.id }).from(threads).where(eq(threads.id, rowId)));
      return;
    case 'post': {
      const itsThread = db.query.select({ id: posts.threadId }).from(posts).where(eq(posts.id, rowId));
      await lockRows(
        db,
        db.query.select({ id: threads.id }).from(threads).where(inArray(threads.id, itsThread)),
      );
      return;
    }
    case 'skill':
      await lockRows(db, db.query.select({ id: skills.id }).from(skills).where(eq(skills.id, rowId)));
      return;
    case 'agent':
      await lockReferencedRows(
        db,
        db.query.select({ id: agents.id }).from(agents).where(eq(agents.id, rowId)),
      );
      return;
    case 'scorecard':
      await lockRows(
        db,
        db.query.select({ id: sharedRuns.id }).from(sharedRuns).where(eq(sharedRuns.id, rowId)),
      );
      return;
    case 'work_order':
    case 'comment':
    // Nobody can delete these.
  }
}
