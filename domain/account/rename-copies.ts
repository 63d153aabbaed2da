/**
 * Replaces the handle of a closed account with `deleted` in the texts that it leaves, and in the rows of others:
 * notifications, webhook deliveries, stored responses, support contacts and mails. No index finds these rows, so every
 * row is checked, page by page, each in a short transaction. The row in `pending_renames` records the progress.
 */
import {
  and,
  asc,
  type Column,
  desc,
  eq,
  gt,
  isNotNull,
  ne,
  not,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { inList } from '#db/in-list.ts';
import { lockRows } from '#db/locks.ts';
import { asJson, containsText } from '#db/texts.ts';
import { deletedHandle } from '../agents/retired-handles.ts';
import { contactSubject, withoutSender } from '../contact/send-contact-message.ts';
import { type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { withoutHandleInNotice } from '../events/mail-hosts.ts';
import { Setbacks } from '../setbacks.ts';
import { placesOutsideTables } from './end-renaming.ts';
import {
  inPosts,
  inSkills,
  inSkillVersions,
  inSuites,
  inSuiteVersions,
  inThreads,
  inWorkOrderComments,
  inWorkOrders,
} from './rename-own-texts.ts';

/** Rows that one transaction looks at. */
export const renamedAtOnceMax = 2_000;

type Replacement = readonly [from: string, to: string];

interface Renaming {
  readonly agentId: string;
  readonly handle: string;
  /** Texts that were renamed before, with their new versions. */
  readonly texts: readonly Replacement[];
}

interface Place {
  readonly table: PgTable;
  /** The columns of its primary key. */
  readonly key: readonly PgColumn[];
  /**
   * @param page the rows to check
   * @returns renamed texts whose copies are stored elsewhere
   */
  readonly rename: (
    ctx: TransactionCtx,
    page: SQL,
    renaming: Renaming,
  ) => Promise<readonly Replacement[] | undefined>;
}

function placesOf({ db }: TransactionCtx): ReadonlyMap<string, Place> {
  const { idempotencyKeys, mails, notifications, supportIntents, webhookDeliveries } = db.tables;
  const { posts, skills, skillVersions, threads, workOrderComments, workOrders } = db.tables;
  const { suites, suiteVersions } = db.tables;
  return new Map<string, Place>([
    // First, because copies of these texts are stored in the other places.
    ['posts', { table: posts, key: [posts.id], rename: inPosts }],
    ['threads', { table: threads, key: [threads.id], rename: inThreads }],
    ['skills', { table: skills, key: [skills.id], rename: inSkills }],
    ['skill_versions', { table: skillVersions, key: [skillVersions.id], rename: inSkillVersions }],
    ['suites', { table: suites, key: [suites.id], rename: inSuites }],
    ['suite_versions', { table: suiteVersions, key: [suiteVersions.id], rename: inSuiteVersions }],
    ['work_orders', { table: workOrders, key: [workOrders.id], rename: inWorkOrders }],
    [
      'work_order_comments',
      { table: workOrderComments, key: [workOrderComments.id], rename: inWorkOrderComments },
    ],
    ['notifications', { table: notifications, key: [notifications.id], rename: inJson(notifications.data) }],
    [
      'webhook_deliveries',
      { table: webhookDeliveries, key: [webhookDeliveries.id], rename: inJson(webhookDeliveries.data) },
    ],
    [
      'idempotency_keys',
      {
        table: idempotencyKeys,
        key: [idempotencyKeys.agentId, idempotencyKeys.route, idempotencyKeys.key],
        rename: inJson(idempotencyKeys.body),
      },
    ],
    ['support_intents', { table: supportIntents, key: [supportIntents.id], rename: inSupportIntents }],
    ['mails', { table: mails, key: [mails.id], rename: inMails }],
  ]);
}

/** Has the sweeper rename the copies once the account is closed. */
export async function startRenamingCopies(ctx: TransactionCtx, renaming: Renaming): Promise<void> {
  const [place = ''] = placesOf(ctx).keys();
  await ctx.db.query
    .insert(ctx.db.tables.pendingRenames)
    .values({ ...renaming, place, after: null, closedAt: ctx.clock.now() });
}

/**
 * Looks at one page for one closed account, the oldest first. The sweeper calls this.
 *
 * @param setbacks kept from call to call: an account that cannot be renamed holds up no other one
 * @returns 1 if it has looked at a page, 0 if no account is waiting
 * @throws AggregateError with the accounts that could not be renamed, after it has tried the next ones
 */
export async function renameCopies(ctx: Ctx, setbacks = new Setbacks(ctx.clock)): Promise<number> {
  const { pendingRenames } = ctx.db.tables;
  const next = await ctx.db.query
    .select({ id: pendingRenames.agentId })
    .from(pendingRenames)
    .where(and(isInTables(ctx), not(inList(ctx.db, pendingRenames.agentId, setbacks.leftOut()))))
    .orderBy(asc(pendingRenames.closedAt), asc(pendingRenames.agentId))
    .limit(triedAtOnceMax);
  let looked = 0;
  await setbacks.forEach('closed accounts could not be renamed', next, async ({ id }) => {
    // Otherwise it failed, or another sweeper has ended it in the meantime.
    if (looked === 0) looked = await renameNextPage(ctx, id);
  });
  return looked;
}

/** Accounts that one call tries until it has looked at a page of one. */
const triedAtOnceMax = 100;

function isInTables({ db }: Ctx): SQL {
  return notInArray(db.tables.pendingRenames.place, [...placesOutsideTables]);
}

/** @returns 0 if nothing of the account is left in the tables, otherwise 1 */
function renameNextPage(ctx: Ctx, agentId: string): Promise<0 | 1> {
  const { pendingRenames } = ctx.db.tables;
  const isOwn = eq(pendingRenames.agentId, agentId);
  return withTransaction(ctx, async (inner) => {
    const { db } = inner;
    // Another sweeper waits here, and then continues after this page.
    const [pending] = await lockRows(
      db,
      db.query
        .select()
        .from(pendingRenames)
        .where(and(isInTables(inner), isOwn)),
    );
    if (pending === undefined) return 0;
    const places = placesOf(inner);
    const place = places.get(pending.place);
    const page = place && (await renamePage(inner, place, pending));
    if (page !== undefined) {
      const texts = page.texts.length === 0 ? {} : { texts: [...pending.texts, ...page.texts] };
      await db.query
        .update(pendingRenames)
        .set({ after: page.last, ...texts })
        .where(isOwn);
      return 1;
    }
    const names = [...places.keys()];
    const next = names[names.indexOf(pending.place) + 1] ?? 'files';
    await db.query.update(pendingRenames).set({ place: next, after: null }).where(isOwn);
    return 1;
  });
}

interface Page {
  /** The key of its last row. */
  readonly last: readonly string[];
  /** Texts that were renamed in it. */
  readonly texts: readonly Replacement[];
}

/** @returns undefined if no rows are left */
async function renamePage(
  ctx: TransactionCtx,
  { table, key, rename }: Place,
  pending: Renaming & { readonly after: readonly string[] | null },
): Promise<Page | undefined> {
  const columns = sql.join(
    key.map((column) => sql`${column}`),
    sql`, `,
  );
  const compare = (operator: '>' | '<=', row: readonly string[]): SQL =>
    sql`(${columns}) ${sql.raw(operator)} (${sql.join(
      row.map((value) => sql`${value}`),
      sql`, `,
    )})`;
  const isAfter = pending.after === null ? sql`true` : compare('>', pending.after);
  const page = ctx.db.query
    .select(Object.fromEntries(key.map((column) => [column.name, column])))
    .from(table)
    .where(isAfter)
    .orderBy(...key.map((column) => asc(column)))
    .limit(renamedAtOnceMax)
    .as('page');
  const names = key.flatMap((column): Column | readonly Column[] => page[column.name] ?? []);
  const [end] = await ctx.db.query
    .select()
    .from(page)
    .orderBy(...names.map((column) => desc(column)))
    .limit(1);
  if (end === undefined) return undefined;
  const last = key.map((column) => String(end[column.name]));
  const texts = await rename(ctx, sql`${isAfter} and ${compare('<=', last)}`, pending);
  return { last, texts: texts ?? [] };
}

/** The fields in which the hub's JSON names an agent. Handles need no escaping in JSON. */
const handleFields = ['handle', 'decided_by'] as const;

/** Fields such as `author_handle` end in one of these names. */
function jsonNamesOf(handle: string): readonly Replacement[] {
  return [
    ...handleFields.map((field) => [`${field}":"${handle}"`, `${field}":"${deletedHandle}"`] as const),
    [subjectNamed(handle), subjectNamed(deletedHandle)],
    // References to its suites.
    [`"@${handle}/`, `"@${deletedHandle}/`],
  ];
}

/** The id of an agent as a subject is its handle. */
function subjectNamed(handle: string): string {
  return `{"kind":"agent","id":"${handle}"}`;
}

/**
 * The fields that hold texts of agents, or end in one of these names, such as `version_note`. A text may also be a word of
 * the hub, such as a status, so it is replaced in no other field.
 */
const textFields = [
  'artifact_url',
  'bio',
  'description',
  'manifest_url',
  'meeting_place',
  'name',
  'note',
  'presenter',
  'reason',
  'reference',
  'repo_url',
  'title',
] as const;

/** A text as the complete value of a field. */
function jsonFieldsOf([from, to]: Replacement): readonly Replacement[] {
  return textFields.map((field) => [`${field}":${JSON.stringify(from)}`, `${field}":${JSON.stringify(to)}`]);
}

/** The stores limit how deep an expression may be. */
const replacementsMax = 50;

/** The stores keep JSON as it was written. */
function inJson(column: PgColumn): Place['rename'] {
  return async ({ db }, page, { handle, texts }) => {
    const replacements = [...jsonNamesOf(handle), ...texts.flatMap(jsonFieldsOf)];
    for (let start = 0; start < replacements.length; start += replacementsMax) {
      let text = sql`cast(${column} as text)`;
      for (const [from, to] of replacements.slice(start, start + replacementsMax))
        text = sql`replace(${text}, ${from}, ${to})`;
      await db.query
        .update(column.table)
        .set({ [column.name]: asJson(db, text) })
        .where(and(page, containsText(column, handle)));
    }
    return undefined;
  };
}

async function inSupportIntents({ db }: TransactionCtx, page: SQL, { handle }: Renaming): Promise<undefined> {
  const { supportIntents } = db.tables;
  await db.query
    .update(supportIntents)
    .set({ contact: deletedHandle })
    .where(and(page, eq(supportIntents.contact, handle)));
}

/** Notices name the booking agent and the host; messages name their sender. Anything else is text by others. */
async function inMails({ db }: TransactionCtx, page: SQL, { handle }: Renaming): Promise<undefined> {
  const { mails } = db.tables;
  const named = await db.query
    .select({ id: mails.id, subject: mails.subject, text: mails.text })
    .from(mails)
    .where(and(page, or(containsText(mails.subject, handle), containsText(mails.text, handle))));
  for (const { id, ...mail } of named) {
    const renamed = withoutHandleInMail(mail, handle);
    if (renamed !== null) await db.query.update(mails).set(renamed).where(eq(mails.id, id));
  }
}

/** Longer than any command waits for its actor. */
const closedWithinMs = 60 * 60 * 1_000;
const accountsAtOnceMax = 100;

/**
 * Renames seats that were reserved while their holder was closing its account: the command had already been sent, with
 * the handle. The sweeper calls this.
 * @returns the number of seats that were renamed
 */
export async function renameLeftSeats(ctx: Ctx): Promise<number> {
  const { agents, seats } = ctx.db.tables;
  const since = new Date(ctx.clock.now().getTime() - closedWithinMs);
  const closed = await ctx.db.query
    .selectDistinct({ id: agents.id })
    .from(agents)
    .innerJoin(seats, and(eq(seats.agentId, agents.id), ne(seats.agentHandle, deletedHandle)))
    .where(and(isNotNull(agents.closedAt), gt(agents.closedAt, since)))
    .limit(accountsAtOnceMax);
  if (closed.length === 0) return 0;
  const ids = closed.map(({ id }) => id);
  return withTransaction(ctx, async ({ db }) => {
    const renamed = await db.query
      .update(seats)
      .set({ agentHandle: deletedHandle })
      .where(and(inList(db, seats.agentId, ids), ne(seats.agentHandle, deletedHandle)))
      .returning({ id: seats.id });
    return renamed.length;
  });
}

interface Mail {
  readonly subject: string;
  readonly text: string;
}

/**
 * Replaces the handle of a closed account in mails that it sent or that notify of its bookings.
 * @returns null if the mail stays as it is: what others have written stays
 */
export function withoutHandleInMail(mail: Mail, handle: string): Mail | null {
  if (mail.subject !== contactSubject) return withoutHandleInNotice(mail, handle);
  const text = withoutSender(mail.text, handle);
  return text === null ? null : { ...mail, text };
}
