/**
 * Replaces the handle of a closed account in the posts, threads, skills, suites and work orders that it leaves, a page at a time.
 * Each function returns the renamed texts of which copies may be stored elsewhere.
 */
import { and, eq, isNull, or, type SQL, sql } from 'drizzle-orm';
import { inSubquery } from '#db/in-list.ts';
import { saveSearchWords } from '#db/search.ts';
import { containsText } from '#db/texts.ts';
import { deletedHandle, withoutHandle } from '../agents/retired-handles.ts';
import type { TransactionCtx } from '../context.ts';
import { renameInSuite } from './rename-in-suite.ts';

interface Owner {
  readonly agentId: string;
  readonly handle: string;
}

type Renamed = readonly (readonly [from: string, to: string])[];

export async function inPosts(
  ctx: TransactionCtx,
  page: SQL,
  { agentId, handle }: Owner,
): Promise<undefined> {
  const { posts } = ctx.db.tables;
  const named = await ctx.db.query
    .select({ threadId: posts.threadId, position: posts.position, body: posts.body })
    .from(posts)
    .where(and(page, eq(posts.authorId, agentId), containsText(posts.body, handle)));
  for (const { threadId, position, ...post } of named) {
    const isPost = and(eq(posts.threadId, threadId), eq(posts.position, position));
    const body = withoutHandle(post.body, handle);
    await ctx.db.query.update(posts).set({ body }).where(isPost);
    if (position === 1) await saveThreadWords(ctx, threadId);
  }
}

export async function inThreads(
  ctx: TransactionCtx,
  page: SQL,
  { agentId, handle }: Owner,
): Promise<Renamed> {
  const { threads } = ctx.db.tables;
  const named = await ctx.db.query
    .select({ id: threads.id, title: threads.title })
    .from(threads)
    .where(and(page, eq(threads.authorId, agentId), containsText(threads.title, handle)));
  const renamed = named.map(({ id, title }) => ({ id, title, to: withoutHandle(title, handle) }));
  for (const { id, to } of renamed) {
    await ctx.db.query.update(threads).set({ title: to }).where(eq(threads.id, id));
    await saveThreadWords(ctx, id);
  }
  return renamed.map(({ title, to }) => [title, to] as const);
}

/** A thread is found by its title and its first post, unless that was deleted. */
async function saveThreadWords({ db }: TransactionCtx, threadId: string): Promise<void> {
  const { posts, threads } = db.tables;
  const [found] = await db.query
    .select({ title: threads.title, body: posts.body })
    .from(threads)
    .leftJoin(posts, and(eq(posts.threadId, threads.id), eq(posts.position, 1), isNull(posts.deletedAt)))
    .where(and(eq(threads.id, threadId), isNull(threads.deletedAt)));
  if (found === undefined) return;
  await saveSearchWords(db, 'threads', threadId, [found.title, ...(found.body === null ? [] : [found.body])]);
}

export async function inSkills(ctx: TransactionCtx, page: SQL, { agentId, handle }: Owner): Promise<Renamed> {
  const { db } = ctx;
  const { reputationEvents, skills } = db.tables;
  const columns = [skills.name, skills.description, skills.repoUrl, skills.manifestUrl];
  const named = await db.query
    .select()
    .from(skills)
    .where(
      and(page, eq(skills.authorId, agentId), or(...columns.map((column) => containsText(column, handle)))),
    );
  const renamed: (readonly [from: string, to: string])[] = [];
  for (const skill of named) {
    const { id } = skill;
    const free = withoutHandle(skill.name, handle);
    const isTaken = free !== skill.name && (await db.query.$count(skills, eq(skills.name, free))) > 0;
    const name = isTaken ? `${deletedHandle} ${id}` : free;
    const description = withoutHandle(skill.description, handle);
    await db.query
      .update(skills)
      .set({
        name,
        description,
        repoUrl: withoutHandle(skill.repoUrl, handle),
        manifestUrl: skill.manifestUrl === null ? null : withoutHandle(skill.manifestUrl, handle),
      })
      .where(eq(skills.id, id));
    await db.query
      .update(reputationEvents)
      .set({ reference: sql`case when ${reputationEvents.reference} is null then null else ${name} end` })
      .where(eq(reputationEvents.subjectId, id));
    if (skill.deletedAt === null) await saveSearchWords(db, 'skills', id, [name, description]);
    if (name !== skill.name) renamed.push([skill.name, name]);
  }
  return renamed;
}

export async function inSkillVersions(
  { db }: TransactionCtx,
  page: SQL,
  { agentId, handle }: Owner,
): Promise<undefined> {
  const { skills, skillVersions } = db.tables;
  const own = db.query.select({ id: skills.id }).from(skills).where(eq(skills.authorId, agentId));
  const named = await db.query
    .select({ id: skillVersions.id, note: skillVersions.note })
    .from(skillVersions)
    .where(and(page, containsText(skillVersions.note, handle), inSubquery(db, skillVersions.skillId, own)));
  for (const { id, note } of named)
    await db.query
      .update(skillVersions)
      .set({ note: withoutHandle(note, handle) })
      .where(eq(skillVersions.id, id));
}

export async function inSuites(
  { db }: TransactionCtx,
  page: SQL,
  { agentId, handle }: Owner,
): Promise<Renamed> {
  const { suites } = db.tables;
  const columns = [suites.name, suites.title, suites.description];
  const named = await db.query
    .select({ id: suites.id, name: suites.name, title: suites.title, description: suites.description })
    .from(suites)
    .where(
      and(page, eq(suites.ownerId, agentId), or(...columns.map((column) => containsText(column, handle)))),
    );
  for (const { id, name, title, description } of named)
    await db.query
      .update(suites)
      .set({
        // Names end in a part of the id since the closing, so this one stays unique.
        name: withoutHandle(name, handle),
        title: withoutHandle(title, handle),
        description: withoutHandle(description, handle),
      })
      .where(eq(suites.id, id));
  return named
    .map(({ title }) => [title, withoutHandle(title, handle)] as const)
    .filter(([from, to]) => from !== to);
}

/** Changes the content of a version but not its hash: a retired suite is not published again. */
export async function inSuiteVersions(
  { db }: TransactionCtx,
  page: SQL,
  { agentId, handle }: Owner,
): Promise<undefined> {
  const { suites, suiteVersions } = db.tables;
  const own = db.query.select({ id: suites.id }).from(suites).where(eq(suites.ownerId, agentId));
  const named = await db.query
    .select({ id: suiteVersions.id })
    .from(suiteVersions)
    .where(
      and(
        page,
        inSubquery(db, suiteVersions.suiteId, own),
        or(
          containsText(suiteVersions.document, handle),
          containsText(suiteVersions.caseIdentities, handle),
          containsText(suiteVersions.license, handle),
        ),
      ),
    );
  // Documents are large, so each is read and written on its own.
  for (const { id } of named) {
    const [version] = await db.query.select().from(suiteVersions).where(eq(suiteVersions.id, id));
    if (version === undefined) continue;
    const { document, caseIdentities, license } = version;
    await db.query
      .update(suiteVersions)
      .set({
        ...renameInSuite({ document, caseIdentities }, handle),
        license: license === null ? null : withoutHandle(license, handle),
      })
      .where(eq(suiteVersions.id, id));
  }
}

/** The texts belong to the proposer, the link of the result to the implementer. */
export async function inWorkOrders(
  { db }: TransactionCtx,
  page: SQL,
  { agentId, handle }: Owner,
): Promise<Renamed> {
  const { workOrders } = db.tables;
  const isProposed = eq(workOrders.proposerId, agentId);
  const proposed = await db.query
    .select({ id: workOrders.id, title: workOrders.title, description: workOrders.description })
    .from(workOrders)
    .where(
      and(
        page,
        isProposed,
        or(containsText(workOrders.title, handle), containsText(workOrders.description, handle)),
      ),
    );
  const renamed: (readonly [from: string, to: string])[] = [];
  for (const { id, title, description } of proposed) {
    const to = { title: withoutHandle(title, handle), description: withoutHandle(description, handle) };
    await db.query.update(workOrders).set(to).where(eq(workOrders.id, id));
    renamed.push([title, to.title], [description, to.description]);
  }
  const built = await db.query
    .select({ id: workOrders.id, artifactUrl: workOrders.artifactUrl })
    .from(workOrders)
    .where(and(page, eq(workOrders.implementerId, agentId), containsText(workOrders.artifactUrl, handle)));
  for (const { id, artifactUrl } of built) {
    const to = withoutHandle(artifactUrl ?? '', handle);
    await db.query.update(workOrders).set({ artifactUrl: to }).where(eq(workOrders.id, id));
    renamed.push([artifactUrl ?? '', to]);
  }
  return renamed.filter(([from, to]) => from !== to);
}

export async function inWorkOrderComments(
  { db }: TransactionCtx,
  page: SQL,
  { agentId, handle }: Owner,
): Promise<undefined> {
  const { workOrderComments } = db.tables;
  const named = await db.query
    .select({ id: workOrderComments.id, body: workOrderComments.body })
    .from(workOrderComments)
    .where(and(page, eq(workOrderComments.authorId, agentId), containsText(workOrderComments.body, handle)));
  for (const { id, body } of named)
    await db.query
      .update(workOrderComments)
      .set({ body: withoutHandle(body, handle) })
      .where(eq(workOrderComments.id, id));
}
