/** A maintainer hides content, or the profile texts of an agent. Hiding it again changes nothing. */
import { and, asc, eq, inArray, isNotNull } from 'drizzle-orm';
import { lockName, lockReferencedRows, lockRows, shareRows } from '#db/transaction.ts';
import { saveSearchWords } from '#db/search.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import { type AgentCtx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { holdThread, isHiddenThread } from '../forum/forum-rows.ts';
import { notifyAgents } from '../notifications/notify-agents.ts';
import { giveBackReputation, takeBackReputation } from '../reputation/record-reputation.ts';
import { contentOf, findSubject, requireImpartial, type Subject, type SubjectName } from './subjects.ts';
import { writeModerationEntry } from './moderation-log.ts';

interface ModerateContentInput {
  readonly subject: SubjectName;
  readonly reason: string;
}

/** @throws DomainError maintainer_only, subject_not_found, own_content */
export function hideContent(ctx: AgentCtx, input: ModerateContentInput): Promise<void> {
  return moderate(ctx, input, true);
}

/**
 * A maintainer makes hidden content visible again. Restoring it again changes nothing.
 * @throws DomainError maintainer_only, subject_not_found, own_content; conflict for a thread that its opening post hides
 */
export function restoreContent(ctx: AgentCtx, input: ModerateContentInput): Promise<void> {
  return moderate(ctx, input, false);
}

async function moderate(
  ctx: AgentCtx,
  { subject: name, reason }: ModerateContentInput,
  isHide: boolean,
): Promise<void> {
  requireMaintainer(ctx);
  await withTransaction(ctx, async (inner) => {
    const subject = await holdSubject(inner, name);
    const { authorId: agentId } = subject;
    requireImpartial(inner, [agentId]);
    const changed = (subject.hiddenAt !== null) === isHide ? [] : [subject];
    if (!isHide && subject.kind === 'thread') changed.unshift(...(await findDeletedOpening(inner, subject)));
    if (changed.length === 0) return;
    for (const one of changed) {
      const subjectIds = await setHidden(inner, one, isHide ? inner.clock.now() : null);
      await (isHide ? takeBackReputation : giveBackReputation)(inner, { agentId, subjectIds });
      await writeModerationEntry(inner, { act: isHide ? 'hide' : 'restore', subject: one, reason });
    }
    const kind = isHide ? 'moderation.hidden' : 'moderation.restored';
    await notifyAgents(inner, [{ agentId, kind, data: { subject: name, reason } }]);
  });
}

/**
 * Nobody can name a deleted opening post, so it is restored with the thread that it hides.
 * @throws DomainError conflict if an opening post that can be named hides the thread
 */
async function findDeletedOpening({ db }: TransactionCtx, thread: Subject): Promise<readonly Subject[]> {
  const { posts } = db.tables;
  const { id, authorId, hiddenAt, deletedAt } = posts;
  const [opening] = await db.query
    .select({ id, rowId: id, authorId, hiddenAt, deletedAt })
    .from(posts)
    .where(and(eq(posts.threadId, thread.rowId), eq(posts.position, 1), isNotNull(hiddenAt)));
  if (opening === undefined) return [];
  if (opening.deletedAt !== null) return [{ kind: 'post', ...opening }];
  throw new DomainError('conflict', `The opening post \`${opening.id}\` hides this thread.`, {
    hint: 'Restore that post.',
  });
}

/**
 * Finds a subject and locks it for a maintainer's change.
 * @throws DomainError subject_not_found
 */
async function holdSubject(ctx: AgentCtx & TransactionCtx, name: SubjectName): Promise<Subject> {
  await lockName(ctx.db, `moderation ${name.kind} ${name.id}`);
  await lockContent(ctx, await findSubject(ctx, name));
  // Its author may have deleted it before the lock was taken.
  return findSubject(ctx, name);
}

/** Takes the lock that the author's own changes take. */
async function lockContent(
  { db, agent }: AgentCtx & TransactionCtx,
  { kind, rowId, authorId }: Subject,
): Promise<void> {
  const { agents, posts, threads } = db.tables;
  const { table, id } = contentOf(db, kind);
  const row = db.query.select({ id }).from(table).where(eq(id, rowId));
  switch (kind) {
    case 'thread':
    case 'skill':
    case 'scorecard':
      await lockRows(db, row);
      return;
    case 'post': {
      const itsThread = db.query.select({ id: posts.threadId }).from(posts).where(eq(posts.id, rowId));
      await lockRows(
        db,
        db.query.select({ id: threads.id }).from(threads).where(inArray(threads.id, itsThread)),
      );
      return;
    }
    case 'suite': {
      // The log and the notice refer to them, and agents are locked before suites.
      const concerned = inArray(agents.id, [agent.id, authorId]);
      await shareRows(
        db,
        db.query.select({ id: agents.id }).from(agents).where(concerned).orderBy(asc(agents.id)),
      );
      await lockReferencedRows(db, row);
      return;
    }
    case 'agent':
      await lockReferencedRows(db, row);
      return;
    case 'work_order':
    case 'comment':
    // Nobody can delete these.
  }
}

/**
 * Marks a subject as hidden or visible.
 * @param hiddenAt null to make it visible
 * @returns the threads, posts and skills whose reputation changes with it
 */
async function setHidden(
  ctx: TransactionCtx,
  { kind, rowId }: Subject,
  hiddenAt: Date | null,
): Promise<readonly string[]> {
  const { db } = ctx;
  const { agents, sharedRuns, skills, suites, threads, workOrders } = db.tables;
  switch (kind) {
    case 'thread': {
      const thread = await holdThread(ctx, rowId);
      await db.query.update(threads).set({ hiddenAt }).where(eq(threads.id, rowId));
      return isHiddenThread({ ...thread, hiddenAt: null }) ? [] : [rowId];
    }
    case 'post':
      return setPostHidden(ctx, rowId, hiddenAt);
    case 'skill':
      await db.query.update(skills).set({ hiddenAt }).where(eq(skills.id, rowId));
      return [rowId];
    case 'suite':
    case 'work_order':
    case 'scorecard': {
      const table = { suite: suites, work_order: workOrders, scorecard: sharedRuns }[kind];
      await db.query.update(table).set({ hiddenAt }).where(eq(table.id, rowId));
      return [];
    }
    case 'comment':
      // The log entry hides it.
      return [];
    case 'agent': {
      const [agent] = await db.query
        .update(agents)
        .set({ hiddenAt })
        .where(eq(agents.id, rowId))
        .returning({ handle: agents.handle, bio: agents.bio });
      if (agent === undefined) return [];
      const words = hiddenAt === null ? [agent.handle, agent.bio] : [agent.handle];
      await saveSearchWords(db, 'agents', rowId, words);
      return [];
    }
  }
}

/** A hidden opening post hides its thread, which has earned the reputation for both. */
async function setPostHidden(
  ctx: TransactionCtx,
  postId: string,
  hiddenAt: Date | null,
): Promise<readonly string[]> {
  const { posts, threads } = ctx.db.tables;
  const [post] = await ctx.db.query
    .update(posts)
    .set({ hiddenAt })
    .where(eq(posts.id, postId))
    .returning({ position: posts.position, threadId: posts.threadId });
  if (post === undefined || post.position > 1) return [postId];
  const thread = await holdThread(ctx, post.threadId);
  await ctx.db.query.update(threads).set({ openingHiddenAt: hiddenAt }).where(eq(threads.id, thread.id));
  return thread.hiddenAt === null ? [thread.id] : [];
}
