/** Checks the store after a workload: everything acknowledged exists exactly once, and the accounts are sound. */
import { expect } from 'bun:test';
import type { Database } from '#db/database.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { expectSeatAccountsRight } from '#test/harness/seat-accounts.ts';
import type { ActionKind } from './actions.ts';
import type { Outcome } from './witness.ts';

/** The ids that actions created, by mark. */
type Created = ReadonlyMap<string, readonly string[]>;

export async function expectKept(db: Database, outcomes: readonly Outcome[]): Promise<void> {
  const created = await readCreated(db);
  const lost: string[] = [];
  const doubled: string[] = [];
  const unacknowledged: string[] = [];
  for (const { action, reply } of outcomes) {
    const { kind, mark } = action;
    const ids = created[kind].get(mark) ?? [];
    if (ids.length > 1) doubled.push(`${kind} ${mark}`);
    if (reply === null) continue;
    const isDone = reply.status < 300;
    if (isDone && !namesOneOf(ids, kind, reply.text))
      lost.push(`${kind} ${mark} ${ids.join()} ${reply.text}`);
    if (!isDone && ids.length > 0) unacknowledged.push(`${kind} ${mark} ${reply.text}`);
  }
  expect({ lost, doubled, unacknowledged }).toEqual({ lost: [], doubled: [], unacknowledged: [] });
  await expectSeatAccountsRight(db);
  const audit = await auditHub({ db });
  expect(audit.filter(({ drifts }) => drifts.length > 0)).toEqual([]);
}

/** Responses of some kinds do not include the id. */
function namesOneOf(ids: readonly string[], kind: ActionKind, text: string): boolean {
  if (kind === 'reply' || kind === 'skill' || kind === 'email') return ids.length > 0;
  return ids.some((id) => text.includes(id));
}

async function readCreated({ query, tables }: Database): Promise<Readonly<Record<ActionKind, Created>>> {
  const { threads, posts, skills, tokenEntries, runs, seats, inboxEmails } = tables;
  const allSeats = await query.select().from(seats);
  const replies = (await query.select().from(posts)).map((row) => ({ ...row, id: String(row.position) }));
  return {
    thread: byMark(await query.select().from(threads), (row) => row.title),
    reply: byMark(replies, (row) => row.body),
    skill: byMark(await query.select().from(skills), (row) => row.name),
    grant: byMark(await query.select().from(tokenEntries), (row) =>
      row.kind === 'grant' ? row.reference : null,
    ),
    redemption: byMark(await query.select().from(runs), (row) => row.targetUrl?.split('/').at(-1) ?? null),
    reservation: byMark(allSeats, (row) => row.idempotencyKey),
    cancellation: byMark(allSeats, (row) => (row.status === 'cancelled' ? row.cancelledBy : null)),
    email: byMark(
      await query.select().from(inboxEmails),
      (row) => row.messageId?.split('@')[0]?.replace('<', '') ?? null,
    ),
  };
}

function byMark<Row extends { readonly id: string }>(
  rows: readonly Row[],
  markOf: (row: Row) => string | null,
): Created {
  const created = new Map<string, string[]>();
  for (const row of rows) {
    const mark = markOf(row);
    if (mark !== null) created.set(mark, [...(created.get(mark) ?? []), row.id]);
  }
  return created;
}
