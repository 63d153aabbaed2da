/** What agents have to spend: expiries that are due count as taken already, settled or not. */
import { and, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { inList, listParameter } from '#db/in-list.ts';
import { prepareOnce } from '#db/prepare-once.ts';
import { hasTokensLeft, isOpenEvalJob } from '#db/schema/index-conditions.ts';

export interface TokenBalance {
  readonly agentId: string;
  readonly balance: number;
  /** What open eval jobs hold; already taken off `balance`. */
  readonly held: number;
  readonly freeEvalAvailable: boolean;
  readonly nextExpiry: { readonly amount: number; readonly at: Date } | null;
}

type Unfinished = { -readonly [Field in keyof TokenBalance]: TokenBalance[Field] };

/** The balances of several agents in one statement, as a busy API process asks for them. Unknown agents are left out. */
export async function readBalances(
  db: Database,
  agentIds: readonly string[],
  now: Date,
): Promise<Map<string, TokenBalance>> {
  const parts = await partsOf(db).execute({ agentIds: listParameter(agentIds) });
  const balances = new Map<string, Unfinished>();
  // Accounts come first in the list of parts, and no lot or job is without an account.
  for (const part of parts) {
    if (part.kind === 'account') balances.set(part.agentId, newBalance(part));
  }
  for (const part of parts) {
    const balance = balances.get(part.agentId);
    if (balance !== undefined) add(balance, part, now);
  }
  return balances;
}

interface Part {
  readonly agentId: string;
  /** Of an account, of the lots that expire at one instant, or of the open jobs. */
  readonly kind: 'account' | 'expiry' | 'hold';
  readonly amount: number;
  readonly expiresAt: Date | null;
  readonly freeEvalRedemptionId: string | null;
}

function newBalance({ agentId, amount, freeEvalRedemptionId }: Part): Unfinished {
  return {
    agentId,
    balance: amount,
    held: 0,
    freeEvalAvailable: freeEvalRedemptionId === null,
    nextExpiry: null,
  };
}

function add(balance: Unfinished, { kind, amount, expiresAt: at }: Part, now: Date): void {
  switch (kind) {
    case 'account':
      return;
    case 'hold':
      balance.held = amount;
      return;
    case 'expiry':
      if (at === null) return; // Only lots with an expiry are read.
      if (at <= now) balance.balance -= amount;
      else if (balance.nextExpiry === null || at < balance.nextExpiry.at) balance.nextExpiry = { amount, at };
      return;
  }
}

/**
 * Three small index scans as one statement: the parts must be of one instant, or an expiry that is settled in between
 * would be taken off twice or not at all.
 */
const partsOf = prepareOnce((db) => {
  const { tokenAccounts, tokenLots, evalJobs } = db.tables;
  const agentIds = sql.placeholder('agentIds');
  const sumOf = (column: typeof tokenLots.remaining | typeof evalJobs.chargeTokens) =>
    sql`sum(${column})`.mapWith(Number);
  // The first part decides how the columns of all are read. The column itself gives a `Date`, as its table says.
  const asInstant = (value: unknown): Date | null => tokenLots.expiresAt.mapFromDriverValue(value) as Date;
  const accounts = db.query
    .select({
      kind: sql<Part['kind']>`'account'`.as('kind'),
      agentId: tokenAccounts.agentId,
      amount: sql`${tokenAccounts.balance}`.mapWith(Number).as('amount'),
      expiresAt: sql`null`.mapWith(asInstant).as('expires_at'),
      freeEvalRedemptionId: sql<string | null>`${tokenAccounts.freeEvalRedemptionId}`.as('free_eval'),
    })
    .from(tokenAccounts)
    .where(inList(db, tokenAccounts.agentId, agentIds));
  const expiries = db.query
    .select({
      kind: sql<Part['kind']>`'expiry'`.as('kind'),
      agentId: tokenLots.agentId,
      amount: sumOf(tokenLots.remaining).as('amount'),
      expiresAt: sql<Date | null>`${tokenLots.expiresAt}`.as('expires_at'),
      freeEvalRedemptionId: sql<string | null>`null`.as('free_eval'),
    })
    .from(tokenLots)
    .where(
      and(inList(db, tokenLots.agentId, agentIds), hasTokensLeft(tokenLots), isNotNull(tokenLots.expiresAt)),
    )
    .groupBy(tokenLots.agentId, tokenLots.expiresAt);
  const holds = db.query
    .select({
      kind: sql<Part['kind']>`'hold'`.as('kind'),
      agentId: evalJobs.agentId,
      amount: sumOf(evalJobs.chargeTokens).as('amount'),
      expiresAt: sql<Date | null>`null`.as('expires_at'),
      freeEvalRedemptionId: sql<string | null>`null`.as('free_eval'),
    })
    .from(evalJobs)
    .where(and(inList(db, evalJobs.agentId, agentIds), isOpenEvalJob(evalJobs)))
    .groupBy(evalJobs.agentId);
  return accounts.unionAll(expiries).unionAll(holds).prepare('read_balances');
});
