/** Checks the store after a workload: everything acknowledged exists exactly once, and the accounts are sound. */
import { expect } from 'bun:test';
import type { Database } from '#db/database.ts';
import { rowsOf } from '#test/harness/rows.ts';
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
}

/** Responses of some kinds do not include the id. */
function namesOneOf(ids: readonly string[], kind: ActionKind, text: string): boolean {
  if (kind === 'reply' || kind === 'skill' || kind === 'email') return ids.length > 0;
  return ids.some((id) => text.includes(id));
}

async function readCreated(db: Database): Promise<Readonly<Record<ActionKind, Created>>> {
  const seats = await rowsOf({ db }, 'seats');
  const replies = (await rowsOf({ db }, 'posts')).map((row) => ({ ...row, id: String(row.position) }));
  const grants = await rowsOf({ db }, 'tokenEntries', { kind: 'grant' });
  const emails = await rowsOf({ db }, 'inboxEmails');
  return {
    thread: byMark(await rowsOf({ db }, 'threads'), (row) => row.title),
    reply: byMark(replies, (row) => row.body),
    skill: byMark(await rowsOf({ db }, 'skills'), (row) => row.name),
    grant: byMark(grants, (row) => row.reference),
    redemption: byMark(await rowsOf({ db }, 'runs'), (row) => row.targetUrl?.split('/').at(-1) ?? null),
    reservation: byMark(seats, (row) => row.idempotencyKey),
    cancellation: byMark(seats, (row) => (row.status === 'cancelled' ? row.cancelledBy : null)),
    email: byMark(emails, (row) => row.messageId?.split('@')[0]?.replace('<', '') ?? null),
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
