/** Reads what agents can spend. Due expiries are already deducted, whether settled or not. */
import { and, type Column, eq, exists, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { inList } from '#db/conditions.ts';
import { listParameter, prepareOnce } from '#db/prepared.ts';
import { hasTokensLeft, isOpenRun } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { createBatcher } from '#runtime/loop-turns.ts';
import type { Ctx } from '../context.ts';
import { invariant } from '../errors.ts';

export interface TokenBalance {
  readonly agentId: string;
  readonly balance: number;
  /** Held by open runs; already deducted from `balance`. */
  readonly held: number;
  readonly freeEvalAvailable: boolean;
  readonly freeAgentRunAvailable: boolean;
  readonly freeSuiteRunAvailable: boolean;
  readonly nextExpiry: { readonly amount: number; readonly at: Date } | null;
}

type Unfinished = { -readonly [Field in keyof TokenBalance]: TokenBalance[Field] };

/** Reads the balances of many agents in one statement. Unknown agents are left out. */
export async function readBalances(
  db: Database,
  agentIds: readonly string[],
  now: Date,
): Promise<Map<string, TokenBalance>> {
  const parts = await partsOf(db).execute({ agentIds: listParameter(agentIds) });
  const balances = new Map<string, Unfinished>();
  // Process accounts first; every lot and job belongs to one.
  for (const part of parts) {
    if (part.kind === 'account') balances.set(part.agentId, newBalance(part));
  }
  for (const part of parts) {
    const balance = balances.get(part.agentId);
    if (balance !== undefined) add(balance, part, now);
  }
  return balances;
}

interface Part extends FreeRuns {
  readonly agentId: string;
  /** One row per account, per expiry instant of its lots, and per agent and product with open runs. */
  readonly kind: 'account' | 'expiry' | 'hold';
  readonly amount: number;
  readonly expiresAt: Date | null;
}

function newBalance({ agentId, amount, ...free }: Part): Unfinished {
  return {
    agentId,
    balance: amount,
    held: 0,
    ...availableOf(free),
    nextExpiry: null,
  };
}

function add(balance: Unfinished, { kind, amount, expiresAt: at }: Part, now: Date): void {
  switch (kind) {
    case 'account':
      return;
    case 'hold':
      balance.held += amount;
      return;
    case 'expiry':
      if (at === null) return; // Unreachable: only lots with an expiry are read.
      if (at <= now) balance.balance -= amount;
      else if (balance.nextExpiry === null || at < balance.nextExpiry.at) balance.nextExpiry = { amount, at };
      return;
  }
}

/**
 * Four small index scans in one statement. All parts must come from one snapshot, or an expiry settled in
 * between would be deducted twice or not at all.
 */
const partsOf = prepareOnce((db) => {
  const { tokenAccounts, tokenLots, runs } = db.tables;
  const agentIds = sql.placeholder('agentIds');
  // The first part decides how the columns of all parts are decoded. The column decodes to a `Date`, as its
  // table declares.
  const asInstant = (value: unknown): Date | null => tokenLots.expiresAt.mapFromDriverValue(value) as Date;
  const accounts = db.query
    .select({
      kind: sql<Part['kind']>`'account'`.as('kind'),
      agentId: tokenAccounts.agentId,
      amount: sql`${tokenAccounts.balance}`.mapWith(Number).as('amount'),
      expiresAt: sql`null`.mapWith(asInstant).as('expires_at'),
      ...freeRunColumns(tokenAccounts),
    })
    .from(tokenAccounts)
    .where(inList(db, tokenAccounts.agentId, agentIds));
  const expiries = db.query
    .select({
      kind: sql<Part['kind']>`'expiry'`.as('kind'),
      agentId: tokenLots.agentId,
      amount: sumOf(tokenLots.remaining),
      expiresAt: sql<Date | null>`${tokenLots.expiresAt}`.as('expires_at'),
      ...freeRunColumns(null),
    })
    .from(tokenLots)
    .where(
      and(inList(db, tokenLots.agentId, agentIds), hasTokensLeft(tokenLots), isNotNull(tokenLots.expiresAt)),
    )
    .groupBy(tokenLots.agentId, tokenLots.expiresAt);
  const holds = db.query
    .select({
      kind: sql<Part['kind']>`'hold'`.as('kind'),
      agentId: runs.agentId,
      amount: sumOf(runs.chargeTokens),
      expiresAt: sql<Date | null>`null`.as('expires_at'),
      ...freeRunColumns(null),
    })
    .from(runs)
    .where(and(inList(db, runs.agentId, agentIds), isOpenRun(runs)))
    .groupBy(runs.agentId);
  return accounts.unionAll(expiries).unionAll(holds).prepare('read_balances');
});

/** The redemptions that used them; null for those that are left. */
export type FreeRuns = Pick<
  Tables['tokenAccounts']['$inferSelect'],
  'freeEvalRedemptionId' | 'freeAgentRunRedemptionId' | 'freeSuiteRunRedemptionId'
>;

/** @param accounts null for the rows of a union that belong to no account */
export function freeRunColumns(accounts: Tables['tokenAccounts'] | null) {
  const id = (field: keyof FreeRuns) =>
    sql<string | null>`${accounts === null ? sql`null` : accounts[field]}`;
  return {
    freeEvalRedemptionId: id('freeEvalRedemptionId').as('free_eval'),
    freeAgentRunRedemptionId: id('freeAgentRunRedemptionId').as('free_agent_run'),
    freeSuiteRunRedemptionId: id('freeSuiteRunRedemptionId').as('free_suite_run'),
  };
}

export function availableOf(taken: FreeRuns) {
  return {
    freeEvalAvailable: taken.freeEvalRedemptionId === null,
    freeAgentRunAvailable: taken.freeAgentRunRedemptionId === null,
    freeSuiteRunAvailable: taken.freeSuiteRunRedemptionId === null,
  };
}

function sumOf(column: Column) {
  return sql`sum(${column})`.mapWith(Number).as('amount');
}

/** Reads token balances. Requests from the same turn of the event loop share one query. */
export interface BalanceBatcher {
  read(agentId: string): Promise<TokenBalance>;
}

const readsPerQueryMax = 256;

export function createBalanceBatcher(ctx: Ctx): BalanceBatcher {
  const batcher = createBatcher<string, TokenBalance>({
    maxBatch: readsPerQueryMax,
    handle: async (agentIds) => {
      const balances = await readBalances(ctx.db, [...new Set(agentIds)], ctx.clock.now());
      return agentIds.map((agentId) => {
        const balance = balances.get(agentId);
        invariant(balance !== undefined, `Agent ${agentId} has a token account.`);
        return balance;
      });
    },
  });
  return { read: (agentId) => batcher.ask(agentId) };
}

/** The values of {@link plainBalanceColumns}. */
export interface PlainBalanceRow extends FreeRuns {
  readonly accountAgentId: string;
  readonly entered: number;
  readonly held: number;
  readonly isPlain: boolean;
}

/** @returns null if tokens of the agent expire */
export function plainBalanceOf(row: PlainBalanceRow): TokenBalance | null {
  if (!row.isPlain) return null;
  return {
    agentId: row.accountAgentId,
    balance: row.entered,
    held: row.held,
    ...availableOf(row),
    nextExpiry: null,
  };
}

/**
 * The balance of agents of which no tokens expire, as columns beside their accounts. Other balances take
 * {@link readBalances}, which costs as much as the look-up of a bearer token.
 */
export function plainBalanceColumns({ query, tables }: Database) {
  const { tokenAccounts, tokenLots, runs } = tables;
  const expiring = query
    .select({ found: sql`1` })
    .from(tokenLots)
    .where(
      and(
        eq(tokenLots.agentId, tokenAccounts.agentId),
        hasTokensLeft(tokenLots),
        isNotNull(tokenLots.expiresAt),
      ),
    );
  const held = query
    .select({ tokens: sql`coalesce(sum(${runs.chargeTokens}), 0)` })
    .from(runs)
    .where(and(eq(runs.agentId, tokenAccounts.agentId), isOpenRun(runs)));
  return {
    accountAgentId: sql<string>`${tokenAccounts.agentId}`.as('account_agent_id'),
    entered: sql`${tokenAccounts.balance}`.mapWith(Number).as('entered'),
    held: sql`(${held})`.mapWith(Number).as('held'),
    isPlain: sql`not ${exists(expiring)}`.mapWith(Boolean).as('is_plain'),
    ...freeRunColumns(tokenAccounts),
  };
}
