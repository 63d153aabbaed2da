/** What must be true of the store once a hub that crashed has come to rest: nothing acknowledged is lost, nothing is there twice. */
import { expect } from 'bun:test';
import type { Database } from '#db/database.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { expectSeatAccountsRight } from '#test/harness/seat-accounts.ts';
import type { AttemptKind } from './attempts.ts';
import type { Outcome } from './client.ts';

/** By the mark of an attempt, the ids of what it made. */
type Made = ReadonlyMap<string, readonly string[]>;

export async function expectKept(db: Database, outcomes: readonly Outcome[]): Promise<void> {
  const made = await readMade(db);
  const lost: string[] = [];
  const doubled: string[] = [];
  const unfounded: string[] = [];
  for (const { attempt, answer } of outcomes) {
    const { kind, mark } = attempt;
    const ids = made[kind].get(mark) ?? [];
    if (ids.length > 1) doubled.push(`${kind} ${mark}`);
    if (answer === null) continue;
    const isDone = answer.status < 300;
    if (isDone && ids.length === 0) lost.push(`${kind} ${mark}`);
    if (isDone && !namesOneOf(ids, kind, answer.text))
      lost.push(`${kind} ${mark} ${ids.join()} ${answer.text}`);
    if (!isDone && ids.length > 0) unfounded.push(`${kind} ${mark} ${answer.text}`);
  }
  expect({ lost, doubled, unfounded }).toEqual({ lost: [], doubled: [], unfounded: [] });
  await expectSeatAccountsRight(db);
  const drifts = (await auditHub({ db })).filter((check) => check.drifts.length > 0);
  expect(drifts.map(({ name, drifts: found }) => ({ name, found }))).toEqual([]);
}

/** Whether the answer speaks of the very thing that is there, where answers of its kind name it. */
function namesOneOf(ids: readonly string[], kind: AttemptKind, text: string): boolean {
  if (kind === 'reply' || kind === 'skill' || kind === 'email') return true;
  return ids.some((id) => text.includes(id));
}

async function readMade({ query, tables }: Database): Promise<Readonly<Record<AttemptKind, Made>>> {
  const { threads, posts, skills, tokenEntries, redemptions, seats, inboxEmails } = tables;
  const allSeats = await query.select().from(seats);
  const entries = await query.select().from(tokenEntries);
  const replies = (await query.select().from(posts)).map((row) => ({ ...row, id: String(row.position) }));
  const mails = await query.select().from(inboxEmails);
  return {
    thread: byMark(await query.select().from(threads), (row) => row.title),
    reply: byMark(replies, (row) => row.body),
    skill: byMark(await query.select().from(skills), (row) => row.name),
    grant: byMark(entries, (row) => (row.kind === 'grant' ? row.reference : null)),
    redemption: byMark(
      await query.select().from(redemptions),
      (row) => row.targetUrl.split('/').at(-1) ?? null,
    ),
    reservation: byMark(allSeats, (row) => row.idempotencyKey),
    cancellation: byMark(
      allSeats.filter(({ status }) => status === 'cancelled'),
      (row) => row.cancelledBy,
    ),
    email: byMark(mails, (row) => row.messageId?.split('@')[0]?.replace('<', '') ?? null),
  };
}

function byMark<Row extends { readonly id: string }>(
  rows: readonly Row[],
  markOf: (row: Row) => string | null,
): Made {
  const made = new Map<string, string[]>();
  for (const row of rows) {
    const mark = markOf(row);
    if (mark !== null) made.set(mark, [...(made.get(mark) ?? []), row.id]);
  }
  return made;
}
