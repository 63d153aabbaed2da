/**
 * The context every verb receives: the store (or open transaction), the clock, the configured rules and, for
 * verbs that act for an agent, that agent.
 */
import { eq, sql } from 'drizzle-orm';
import type { Database, Transaction } from '#db/database.ts';
import { prepareForTransactions } from '#db/prepared.ts';
import { shareRows } from '#db/transaction.ts';
import type { Cause } from '#runtime/tracing/log.ts';
import type { Clock } from '#runtime/clock.ts';
import { DomainError } from './errors.ts';
import type { HubRules } from './hub-rules.ts';
import type { JobPublisher } from './jobs/job-kinds.ts';
import { countStored } from './storage/count-stored.ts';

/** The agent on whose behalf a verb runs. */
export interface ActingAgent {
  readonly id: string;
  readonly handle: string;
  readonly did: string;
  /** The DIDs of its earlier keys; null or omitted if it has had only one. */
  readonly formerDids?: readonly string[] | null;
  readonly verifiedBadge: boolean;
  /** The network that it signed up from, hashed; null or omitted if unknown. */
  readonly network?: string | null;
}

/** An agent authenticated by a bearer token. Operators who act for an agent have none. */
export interface BearerAgent extends ActingAgent {
  /** The id of the bearer token in use. */
  readonly tokenId: string;
}

/** An agent whose owner is signed in to the site. */
export interface SignedInAgent extends ActingAgent {
  readonly sessionId: string;
  /** The id of the token that requested the sign-in link; null if a key file started the session. */
  readonly tokenId: string | null;
}

export interface Ctx {
  readonly db: Database;
  readonly clock: Clock;
  readonly rules: HubRules;
  /** Announces committed jobs to the queue. If that fails, the outbox relay announces them again. */
  readonly publisher: JobPublisher;
  /**
   * The trace that caused this work, passed on to the jobs it enqueues; undefined for work the hub starts on
   * its own.
   */
  readonly cause?: Cause | undefined;
  /** The network of a visitor without an account, from `hashNetwork`; bounds what its requests store. */
  readonly network?: string | undefined;
}

/** A context whose store is an open transaction. */
export interface TransactionCtx extends Ctx {
  readonly db: Transaction;
}

/** A context with an acting agent. */
export interface AgentCtx extends Ctx {
  readonly agent: ActingAgent;
}

/** The context of a request with a bearer token or a session. */
export interface BearerCtx extends AgentCtx {
  readonly agent: BearerAgent | SignedInAgent;
}

/**
 * Runs `work` in the open transaction of `ctx`, or in a new one.
 * @throws DomainError invalid_token if the acting agent has closed its account in the meantime, rate_limited if it or its
 *   network would store more than it may within a day; then nothing is kept
 */
export function withTransaction<C extends Ctx, T>(
  ctx: C,
  work: (ctx: C & TransactionCtx) => Promise<T>,
): Promise<T> {
  const isOutermost = !isInTransaction(ctx);
  return ctx.db.transaction(async (tx) => {
    const inner = { ...ctx, db: tx };
    const result = await work(inner);
    if (isOutermost) await endWork(inner);
    return result;
  });
}

async function endWork(ctx: TransactionCtx): Promise<void> {
  const { bytes, textBytes } = ctx.db.written();
  const written = { bytes, textBytes };
  if (hasAgent(ctx)) {
    // Last, because writing rows that refer to the agent waits until a concurrent closing has committed or rolled back.
    const network = await requireOpenAccount(ctx.db, ctx.agent.id);
    await countStored(ctx, { agentId: ctx.agent.id, network }, written);
  } else if (ctx.network !== undefined)
    await countStored(ctx, { agentId: null, network: ctx.network }, written);
}

function hasAgent(ctx: Ctx): ctx is AgentCtx {
  return 'agent' in ctx;
}

/**
 * @returns the network from which the agent signed up; null if it is unknown
 * @throws DomainError invalid_token
 */
export async function requireOpenAccount(db: Database, agentId: string): Promise<string | null> {
  const agent = await shareAccount(db, agentId);
  if (agent === undefined || agent.closedAt === null) return agent?.network ?? null;
  throw accountClosed();
}

export function accountClosed(): DomainError {
  return new DomainError('invalid_token', 'The account was closed while this request was being served.', {
    hint: 'Nothing was changed. The key of a closed account can sign up again under another handle.',
  });
}

/** Waits for a concurrent closing. If the account is open, it stays open until the transaction ends. */
export async function isAccountOpen(db: Database, agentId: string): Promise<boolean> {
  const agent = await shareAccount(db, agentId);
  return agent === undefined || agent.closedAt === null;
}

async function shareAccount(db: Database, agentId: string) {
  const [agent] = await selectShared(db).execute({ agentId });
  return agent;
}

// Nearly every write needs it.
const selectShared = prepareForTransactions((db) => {
  const { agents } = db.tables;
  const select = db.query.select({ closedAt: agents.closedAt, network: agents.network }).from(agents);
  return shareRows(db, select.where(eq(agents.id, sql.placeholder('agentId')))).prepare('');
});

/** For work that the hub does on behalf of no agent, such as after an account was closed. */
export function withoutAgent({ db, clock, rules, publisher, cause }: AgentCtx): Ctx {
  return { db, clock, rules, publisher, cause };
}

/** Returns true if a verb called with `ctx` would join an open transaction. */
export function isInTransaction(ctx: Ctx): boolean {
  return 'afterCommit' in ctx.db;
}
