import { lockName } from '#db/locks.ts';
import type { TransactionCtx } from '../context.ts';
import { findSubject, type Subject, type SubjectName } from './subjects.ts';

/**
 * Finds a subject and locks it for a maintainer's change.
 * @throws DomainError subject_not_found
 */
export async function holdSubject(ctx: TransactionCtx, name: SubjectName): Promise<Subject> {
  await lockName(ctx.db, `moderation ${name.kind} ${name.id}`);
  return findSubject(ctx, name);
}
