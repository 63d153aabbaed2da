/** Replaces the handle of a closed account with `deleted` wherever a copy of it is stored. */
import { and, type Column, eq, inArray, like, or, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { deletedHandle } from '../agents/retired-handles.ts';
import type { TransactionCtx } from '../context.ts';
import { renameSender } from '../contact/send-contact-message.ts';
import { noticeSubjectsNaming, withoutHandleInNotice } from '../events/mail-hosts.ts';
import { renameInTexts } from './rename-in-texts.ts';

interface ClosedAgent {
  readonly agentId: string;
  readonly handle: string;
}

export async function renameEverywhere(ctx: TransactionCtx, { agentId, handle }: ClosedAgent): Promise<void> {
  const { events, idempotencyKeys, notifications, seats, supportIntents, webhookDeliveries } = ctx.db.tables;
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
    .where(and(eq(seats.agentId, agentId), like(seats.meetingPlace, `%${handle}%`)));
  await ctx.db.query.update(events).set({ epoch: nextEpoch }).where(inArray(events.id, met));
  await ctx.db.query
    .update(supportIntents)
    .set({ contact: deletedHandle })
    .where(eq(supportIntents.contact, handle));
  const renamed = [
    ...(await renameInTexts(ctx, { agentId, handle })),
    ...(await replaceReferences(ctx, { agentId, handle })),
  ];
  const replacements = [
    ...jsonNamesOf(handle),
    ...renamed.map(([from, to]) => [json(from), json(to)] as const),
  ];
  for (const [table, column] of [
    [notifications, notifications.data],
    [webhookDeliveries, webhookDeliveries.data],
    [idempotencyKeys, idempotencyKeys.body],
  ] as const)
    await replaceInJson(ctx, { table, column, handle }, replacements);
  await renameInMails(ctx, handle);
}

/**
 * Maintainers choose the references of grants, which must stay unique. If `deleted` replaced the handle in them, two
 * agents could end up with the same reference.
 */
async function replaceReferences({ db }: TransactionCtx, { agentId, handle }: ClosedAgent) {
  const { tokenEntries } = db.tables;
  const named = await db.query
    .select({ id: tokenEntries.id, reference: tokenEntries.reference })
    .from(tokenEntries)
    .where(and(eq(tokenEntries.agentId, agentId), like(tokenEntries.reference, `%${handle}%`)));
  for (const { id } of named)
    await db.query.update(tokenEntries).set({ reference: id }).where(eq(tokenEntries.id, id));
  return named.map(({ id, reference }): Replacement => [reference ?? '', id]);
}

/** The fields in which the hub's JSON names an agent. Handles need no escaping in JSON. */
const handleFields = ['handle', 'decided_by'] as const;

type Replacement = readonly [from: string, to: string];

/** Fields such as `author_handle` end in one of these names. */
function jsonNamesOf(handle: string): readonly Replacement[] {
  return [
    ...handleFields.map((field) => [`${field}":"${handle}"`, `${field}":"${deletedHandle}"`] as const),
    [subjectNamed(handle), subjectNamed(deletedHandle)],
  ];
}

/** The handle as the complete value of a field. */
function json(text: string): string {
  return `:${JSON.stringify(text)}`;
}

interface JsonColumn {
  readonly table: PgTable;
  readonly column: Column;
  readonly handle: string;
}

/** The stores limit how deep an expression may be. */
const replacementsMax = 50;

/** The stores keep JSON as it was written. */
async function replaceInJson(
  { db }: TransactionCtx,
  { table, column, handle }: JsonColumn,
  replacements: readonly Replacement[],
): Promise<void> {
  for (let start = 0; start < replacements.length; start += replacementsMax) {
    let text = sql`cast(${column} as text)`;
    for (const [from, to] of replacements.slice(start, start + replacementsMax))
      text = sql`replace(${text}, ${from}, ${to})`;
    const renamed = db.dialect === 'postgres' ? sql`(${text})::json` : text;
    await db.query
      .update(table)
      .set({ [column.name]: renamed })
      .where(sql`cast(${column} as text) like ${`%${handle}%`}`);
  }
}

/** The id of an agent as a subject is its handle. */
function subjectNamed(handle: string): string {
  return `{"kind":"agent","id":"${handle}"}`;
}

/** Notices name the booking agent and the host; messages name their sender. Anything else is text by others. */
async function renameInMails({ db }: TransactionCtx, handle: string): Promise<void> {
  const { mails } = db.tables;
  const [asHost, asAgent] = noticeSubjectsNaming(handle);
  const named = await db.query
    .select({ id: mails.id, subject: mails.subject, text: mails.text })
    .from(mails)
    .where(and(eq(mails.kind, 'notice'), or(like(mails.subject, asHost), like(mails.subject, asAgent))));
  const sent = await db.query
    .select({ id: mails.id, text: mails.text })
    .from(mails)
    .where(and(eq(mails.kind, 'contact'), like(mails.text, `%${handle}%`)));
  for (const { id, text } of sent) {
    await db.query
      .update(mails)
      .set({ text: renameSender(text, handle, deletedHandle) })
      .where(eq(mails.id, id));
  }
  for (const { id, ...mail } of named) {
    await db.query.update(mails).set(withoutHandleInNotice(mail, handle)).where(eq(mails.id, id));
  }
}
