/** What is erased of a closed account: first what others could see, then what only the agent could see or use. */
import { and, asc, eq, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { inList } from '#db/conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { isLastChange, isPendingRequest } from '#db/schema/index-conditions.ts';
import { insertStatement } from '#db/prepared.ts';
import { deleteSearchWords } from '#db/search.ts';
import { lockRows } from '#db/transaction.ts';
import { maintainerSetting } from '#runtime/settings/changeable-settings.ts';
import { closedHandle, closedKey } from '../agents/retired-handles.ts';
import type { TransactionCtx } from '../context.ts';
import { eachPage, type ErasingStep, type ErasingSteps, scheduleErasing } from '../erasing/erasures.ts';
import { erasePosts, eraseThreads } from '../forum/delete-thread.ts';
import { erasedTitle } from '../forum/forum-rows.ts';
import { takeBackReputation } from '../reputation/record-reputation.ts';
import { eraseSkills } from '../skills/publish-skill.ts';
import { suiteSteps } from '../suites/leave-suites.ts';
import { isIntentOf } from '../supporters/find-support.ts';
import { leaveEvents } from './leave-events.ts';

interface ClosedAgent {
  readonly agentId: string;
  readonly handle: string;
}

/**
 * Erases, in the transaction that closes the account: its access, what is found only by its handle, and what is public
 * about the agent. There is a bounded number of these rows.
 */
export async function eraseAccess(ctx: TransactionCtx, agent: ClosedAgent): Promise<void> {
  const { db } = ctx;
  const { agentId, handle } = agent;
  const { agentCards, agentCredentials, challenges, inboxEmails } = db.tables;
  const { bearerTokens, leaderboardEntries, oauthRequests, sessions, sharedRuns } = db.tables;
  await eraseMaintainer(ctx, agent);
  await eraseFormerKeys(ctx, agent);
  await eraseRequests(ctx, agent);
  await db.query.delete(challenges).where(eq(challenges.handle, handle));
  await db.query
    .update(inboxEmails)
    .set({ sender: closedHandle, networkHash: null })
    .where(isIntentOf(inboxEmails, handle));
  await deleteSearchWords(db, 'cards', [agentId]);
  await deleteSearchWords(db, 'agents', [agentId]);
  // In this order, as some refer to others.
  const access = [sessions, oauthRequests, bearerTokens];
  for (const table of [...access, agentCards, agentCredentials, leaderboardEntries, sharedRuns])
    await db.query.delete(table).where(eq(table.agentId, agentId));
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

/**
 * The log of the changes stays, without the `did`, unless it was dismissed: MAINTAINER_DIDS may name it. Runs before the
 * former keys are erased.
 */
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
    .where(
      and(
        inList(db, settingChanges.name, names),
        sql`not (${isLastChange(settingChanges)} and ${eq(settingChanges.after, 'no')})`,
      ),
    );
}

const insertFormerKeys = insertStatement('formerKeys');

/** Hashes stay: an agent may have replaced a key because somebody else has it. */
async function eraseFormerKeys({ db }: TransactionCtx, { agentId }: ClosedAgent): Promise<void> {
  const { formerKeys } = db.tables;
  const former = await db.query.delete(formerKeys).where(eq(formerKeys.agentId, agentId)).returning();
  const hashed = former.map(({ publicKey, ...row }) => {
    const hash = closedKey(publicKey);
    return { ...row, publicKey: hash, did: hash };
  });
  await insertFormerKeys(db, hashed);
}

/** A thread is deleted unless others have answered in it. */
async function leaveThreads(ctx: TransactionCtx, agentId: string, ids: readonly string[]): Promise<void> {
  const { db } = ctx;
  const { posts, threads } = db.tables;
  // Answers come before or after.
  await lockRows(
    db,
    db.query
      .select({ id: threads.id })
      .from(threads)
      .where(inList(db, threads.id, ids))
      .orderBy(asc(threads.id)),
  );
  const answered = await db.query
    .selectDistinct({ id: posts.threadId })
    .from(posts)
    .where(and(inList(db, posts.threadId, ids), ne(posts.authorId, agentId), isNull(posts.deletedAt)));
  const shared = answered.map(({ id }) => id);
  await db.query
    .update(threads)
    .set({ title: erasedTitle })
    .where(inList(db, threads.id, shared));
  await deleteSearchWords(db, 'threads', shared);
  await takeBackReputation(ctx, { agentId, subjectIds: shared });
  const isShared = new Set(shared);
  await eraseThreads(ctx, { authorId: agentId, threadIds: ids.filter((id) => !isShared.has(id)) });
}

async function leavePosts(ctx: TransactionCtx, agentId: string, ids: readonly string[]): Promise<void> {
  await erasePosts(ctx, inList(ctx.db, ctx.db.tables.posts.id, ids));
  await takeBackReputation(ctx, { agentId, subjectIds: ids });
}

async function leaveSkills(ctx: TransactionCtx, agentId: string, ids: readonly string[]): Promise<void> {
  const { db } = ctx;
  const { reputationEvents, skills } = db.tables;
  await eraseSkills(ctx, { authorId: agentId, skillIds: ids });
  // The names are erased too, and nobody needs them reserved. The new ones are longer than any that can be published.
  await db.query
    .update(reputationEvents)
    .set({ reference: null })
    .where(inList(db, reputationEvents.subjectId, ids));
  await db.query
    .update(skills)
    .set({ name: sql`'deleted with the account that published it: ' || cast(${skills.id} as text)` })
    .where(inList(db, skills.id, ids));
}

/** Keeps the charges; erases the targets. The replies follow, run by run. */
async function leaveRuns(ctx: TransactionCtx, _agentId: string, ids: readonly string[]): Promise<void> {
  const { db, clock } = ctx;
  const { runs, runScorecards } = db.tables;
  const withCases = await db.query
    .select({ id: runs.id })
    .from(runs)
    .where(and(inList(db, runs.id, ids), isNull(runs.itemsPrunedAt)));
  await db.query
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
    .where(inList(db, runs.id, ids));
  await db.query.delete(runScorecards).where(inList(db, runScorecards.runId, ids));
  await scheduleErasing(
    ctx,
    'run',
    withCases.map(({ id }) => id),
  );
}

type Owned = PgTable & { readonly id: PgColumn };

/** Texts in rows that stay. */
function texts(
  of: (tables: Tables) => readonly [table: Owned, owner: PgColumn, texts: Readonly<Record<string, unknown>>],
): ErasingStep {
  return eachPage(
    (tables, agentId) => {
      const [table, owner] = of(tables);
      return { table, id: table.id, where: eq(owner, agentId) };
    },
    ({ db }, _, ids) => {
      const [table, , erased] = of(db.tables);
      return db.query
        .update(table)
        .set(erased)
        .where(inList(db, table.id, ids));
    },
  );
}

/** Rows of the agent. */
function rows(
  of: (tables: Tables) => readonly [table: PgTable, id: PgColumn, isOwn: (agentId: string) => SQL],
): ErasingStep {
  return eachPage(
    (tables, agentId) => {
      const [table, id, isOwn] = of(tables);
      return { table, id, where: isOwn(agentId) };
    },
    ({ db }, agentId, ids) => {
      const [table, id, isOwn] = of(db.tables);
      return db.query.delete(table).where(and(isOwn(agentId), inList(db, id, ids)));
    },
  );
}

function ofWebhooks({ webhooks }: Tables, column: PgColumn, agentId: string): SQL {
  return sql`${column} in (select ${webhooks.id} from ${webhooks} where ${eq(webhooks.agentId, agentId)})`;
}

/** For tables that may get rows from transactions that began before the closing. */
const lateSteps: ErasingSteps = {
  events: async (ctx, agentId) => {
    await leaveEvents(ctx, agentId);
    return null;
  },
  namings: rows(({ suiteAgents: t }) => [t, t.suiteId, (agentId) => eq(t.agentId, agentId)]),
  idempotencyKeys: rows(({ idempotencyKeys: t }) => [t, t.claimId, (agentId) => eq(t.agentId, agentId)]),
  deliveries: rows((tables) => {
    const { webhookDeliveries: t } = tables;
    return [t, t.id, (agentId) => ofWebhooks(tables, t.webhookId, agentId)];
  }),
  webhooks: rows(({ webhooks: t }) => [t, t.id, (agentId) => eq(t.agentId, agentId)]),
  notifications: rows(({ notifications: t }) => [t, t.sequence, (agentId) => eq(t.agentId, agentId)]),
  feeds: rows(({ notificationFeeds: t }) => [t, t.agentId, (agentId) => eq(t.agentId, agentId)]),
  threadReads: rows(({ threadReads: t }) => [t, t.threadId, (agentId) => eq(t.agentId, agentId)]),
};

/** Threads and posts come late: they may be many, and nobody sees them any more. */
const contentSteps: ErasingSteps = {
  skills: eachPage(
    ({ skills: t, skillVersions }, agentId) => ({
      table: t,
      id: t.id,
      where: eq(t.authorId, agentId),
      bytes: sql`(select count(*) from ${skillVersions} where ${eq(skillVersions.skillId, t.id)}) * 500`,
    }),
    leaveSkills,
  ),
  reports: texts(({ reports: t }) => [t, t.reporterId, { reason: '' }]),
  proposals: texts(({ workOrders: t }) => [t, t.proposerId, { title: erasedTitle, description: '' }]),
  artifacts: texts(({ workOrders: t }) => [t, t.implementerId, { artifactUrl: null }]),
  comments: texts(({ workOrderComments: t }) => [t, t.authorId, { body: '' }]),
  notes: eachPage(
    ({ workOrderEvents: t }, agentId) => ({ table: t, id: t.workOrderId, where: eq(t.actorId, agentId) }),
    ({ db }, agentId, ids) => {
      const { workOrderEvents: t } = db.tables;
      return db.query
        .update(t)
        .set({ note: null })
        .where(and(eq(t.actorId, agentId), inArray(t.workOrderId, [...ids])));
    },
  ),
  threads: eachPage(
    ({ threads: t }, agentId) => ({
      table: t,
      id: t.id,
      where: and(eq(t.authorId, agentId), isNull(t.deletedAt)),
      // Erasing it reads all its posts.
      bytes: sql`${t.postCount} * 100`,
    }),
    leaveThreads,
  ),
  posts: eachPage(
    ({ posts: t }, agentId) => ({ table: t, id: t.id, where: eq(t.authorId, agentId) }),
    leavePosts,
  ),
  runs: eachPage(
    ({ runs: t }, agentId) => ({ table: t, id: t.id, where: eq(t.agentId, agentId) }),
    leaveRuns,
  ),
  ...suiteSteps,
};

export const accountSteps: ErasingSteps = { ...contentSteps, ...lateSteps };

/** Where a later look begins: the account itself writes nothing after it was closed. */
export const [lateStep = null] = Object.keys(lateSteps);
