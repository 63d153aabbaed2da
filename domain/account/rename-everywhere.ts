/**
 * Replaces the handle of a closed account with `deleted` in all rows that an index finds. `renameCopies` does the rest
 * later.
 */
import { and, eq, getTableColumns, inArray, sql, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { inSubquery } from '#db/in-list.ts';
import { containsText } from '#db/texts.ts';
import { deletedHandle, withoutHandle } from '../agents/retired-handles.ts';
import type { TransactionCtx } from '../context.ts';
import { startRenamingCopies } from './rename-copies.ts';

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

interface Texts {
  readonly table: PgTable;
  readonly columns: readonly PgColumn[];
  /** Each is found by an index. For any of them in one condition, Postgres would search the whole table. */
  readonly rows: readonly SQL[];
}

/**
 * Replaces the handle of a closed account in texts about it: its events and meetings, its ledger, and reports,
 * decisions and notes about it. Only rows that belong to the agent are changed: a handle may be a common word, and
 * closing an account must not change the texts of others.
 * @returns the changed texts with their new versions, because copies of them are stored elsewhere
 */
export async function renameInTexts(
  ctx: TransactionCtx,
  { agentId, handle }: ClosedAgent,
): Promise<ReadonlyMap<string, string>> {
  const renamed = new Map<string, string>();
  for (const texts of textsAbout(ctx, agentId))
    for (const rows of texts.rows)
      for (const text of await rename(ctx, handle, { ...texts, rows }))
        renamed.set(text, withoutHandle(text, handle));
  return renamed;
}

function textsAbout({ db }: TransactionCtx, agentId: string): readonly Texts[] {
  const { events, moderationEntries, reports, seats, tokenEntries, tokenRequests } = db.tables;
  const { posts, skills, threads, workOrderComments, workOrderEvents, workOrders } = db.tables;
  const ownRows = (
    [
      [posts, posts.authorId],
      [skills, skills.authorId],
      [threads, threads.authorId],
      [workOrderComments, workOrderComments.authorId],
      [workOrders, workOrders.proposerId],
    ] as const
  ).map(([table, author]) => db.query.select({ id: table.id }).from(table).where(eq(author, agentId)));
  const isAbout = (subjectId: PgColumn): readonly SQL[] => [
    eq(subjectId, agentId),
    ...ownRows.map((rows) => inSubquery(db, subjectId, rows)),
  ];
  const ordersAs = (role: PgColumn) =>
    db.query.select({ id: workOrders.id }).from(workOrders).where(eq(role, agentId));
  return [
    {
      table: events,
      columns: [events.title, events.description, events.presenter],
      rows: [eq(events.hostAgentId, agentId)],
    },
    {
      table: seats,
      columns: [seats.meetingPlace],
      rows: [
        eq(seats.agentId, agentId),
        inSubquery(
          db,
          seats.eventId,
          db.query.select({ id: events.id }).from(events).where(eq(events.hostAgentId, agentId)),
        ),
      ],
    },
    { table: tokenEntries, columns: [tokenEntries.reason], rows: [eq(tokenEntries.agentId, agentId)] },
    { table: tokenRequests, columns: [tokenRequests.note], rows: [eq(tokenRequests.agentId, agentId)] },
    {
      table: reports,
      columns: [reports.reason, reports.note],
      rows: [eq(reports.reporterId, agentId), ...isAbout(reports.subjectId)],
    },
    {
      table: moderationEntries,
      columns: [moderationEntries.reason],
      rows: [eq(moderationEntries.actorId, agentId), ...isAbout(moderationEntries.subjectId)],
    },
    {
      table: workOrderEvents,
      columns: [workOrderEvents.note],
      rows: [
        eq(workOrderEvents.actorId, agentId),
        ...[workOrders.proposerId, workOrders.implementerId, workOrders.reviewerId].map((role) =>
          inSubquery(db, workOrderEvents.workOrderId, ordersAs(role)),
        ),
      ],
    },
  ];
}

async function rename(
  { db }: TransactionCtx,
  handle: string,
  { table, columns, rows }: Omit<Texts, 'rows'> & { readonly rows: SQL },
): Promise<readonly string[]> {
  const renamed: string[] = [];
  for (const [key, column] of Object.entries(getTableColumns(table))) {
    if (!columns.includes(column)) continue;
    const named = await db.query
      .selectDistinct({ text: column })
      .from(table)
      .where(and(rows, containsText(column, handle)));
    for (const text of named.map((row) => String(row.text))) {
      await db.query
        .update(table)
        .set({ [key]: withoutHandle(text, handle) })
        .where(and(rows, eq(column, text)));
      renamed.push(text);
    }
  }
  return renamed;
}
