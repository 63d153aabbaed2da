/** Erases what an agent has written: threads, posts, skills, reports, and the texts and results of its work orders. */
import { and, eq, isNull, sql } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { isPendingRequest } from '#db/schema/index-conditions.ts';
import { saveSearchWords } from '#db/search.ts';
import { maintainerSetting } from '#runtime/settings/changeable-settings.ts';
import type { TransactionCtx } from '../context.ts';
import { eraseThreads } from '../forum/delete-thread.ts';
import { closedHandle } from '../agents/retired-handles.ts';
import { takeBackReputation } from '../reputation/record-reputation.ts';
import { eraseSkills } from '../skills/publish-skill.ts';

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
  const postIds = erased.map(({ id }) => id);
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

interface ClosedAgent {
  readonly agentId: string;
  readonly handle: string;
}

/** Deletes or clears the rows that only the closed account needed. */
export async function erasePersonalRows(ctx: TransactionCtx, agent: ClosedAgent): Promise<void> {
  await eraseMaintainer(ctx, agent);
  await eraseOwn(ctx, agent);
  await eraseRuns(ctx, agent);
  await eraseRequests(ctx, agent);
}

/** Requests to the maintainers keep only their decision. */
async function eraseRequests({ db, clock }: TransactionCtx, { agentId }: ClosedAgent): Promise<void> {
  const { requests } = db.tables;
  const isOwn = eq(requests.agentId, agentId);
  // A request for tokens has a reason.
  await db.query.update(requests).set({ reason: '' }).where(isOwn);
  await db.query
    .update(requests)
    .set({ status: 'rejected', decidedAt: clock.now() })
    .where(and(isOwn, isPendingRequest(requests)));
}

/** Deletes what only the agent could see or use: access, messages, marks, and what it showed. */
async function eraseOwn({ db }: TransactionCtx, { agentId, handle }: ClosedAgent): Promise<void> {
  const { bearerTokens, formerKeys, idempotencyKeys, oauthRequests, sessions } = db.tables;
  const { agentCards, agentCredentials, challenges, inboxEmails, threadReads } = db.tables;
  const { notificationFeeds, notifications, webhookDeliveries, webhooks } = db.tables;
  const own = await db.query.select({ id: webhooks.id }).from(webhooks).where(eq(webhooks.agentId, agentId));
  const ids = own.map(({ id }) => id);
  await db.query.delete(webhookDeliveries).where(inList(db, webhookDeliveries.webhookId, ids));
  await db.query.delete(challenges).where(eq(challenges.handle, handle));
  await db.query
    .update(inboxEmails)
    .set({ sender: closedHandle, networkHash: null })
    .where(eq(inboxEmails.sender, handle));
  await saveSearchWords(db, 'cards', agentId, []);
  // In this order, as some refer to others.
  const access = [sessions, oauthRequests, bearerTokens, formerKeys, idempotencyKeys, webhooks];
  for (const table of [
    ...access,
    agentCards,
    agentCredentials,
    notifications,
    notificationFeeds,
    threadReads,
  ])
    await db.query.delete(table).where(eq(table.agentId, agentId));
}

/** The log of the changes stays, without the `did`. Runs before the former keys are deleted. */
async function eraseMaintainer({ db, clock }: TransactionCtx, { agentId }: ClosedAgent): Promise<void> {
  const { agents, formerKeys, settingChanges } = db.tables;
  const current = db.query.select({ did: agents.did }).from(agents).where(eq(agents.id, agentId));
  const former = db.query
    .select({ did: formerKeys.did })
    .from(formerKeys)
    .where(eq(formerKeys.agentId, agentId));
  const names = (await current.union(former)).map(({ did }) => maintainerSetting(did));
  await db.query
    .update(settingChanges)
    .set({ name: maintainerSetting(`closed:${agentId}`), replacedAt: clock.now() })
    .where(inList(db, settingChanges.name, names));
}

/** Keeps the charge; erases the target and its replies. */
export async function eraseRuns(
  { db, clock }: TransactionCtx,
  { agentId }: Pick<ClosedAgent, 'agentId'>,
): Promise<void> {
  const { runItems, runLeases, runs, runScorecards } = db.tables;
  const { leaderboardEntries, sharedRuns } = db.tables;
  const erased = await db.query
    .update(runs)
    .set({
      targetUrl: null,
      target: null,
      targetHeaders: null,
      // A caller on a private hub may have chosen it.
      suiteSeed: '',
      only: null,
      label: null,
      failureCause: null,
      failureMessage: sql`case when ${runs.failureMessage} is null then null else '' end`,
      // The audit compares the progress with the items, which are deleted.
      progressDone: 0,
      itemsPrunedAt: clock.now(),
    })
    .where(eq(runs.agentId, agentId))
    .returning({ id: runs.id });
  const ids = erased.map(({ id }) => id);
  for (const table of [leaderboardEntries, sharedRuns])
    await db.query.delete(table).where(eq(table.agentId, agentId));
  for (const table of [runItems, runLeases, runScorecards])
    await db.query.delete(table).where(inList(db, table.runId, ids));
}
