/**
 * What every verb is handed: the store (or the transaction it runs in), the time, the hub's rules as configured,
 * and, for verbs that act for somebody, the agent.
 */
import type { Database, Transaction } from '#db/database.ts';
import type { Cause } from '#runtime/tracing/cause.ts';
import type { Clock } from '#runtime/clock.ts';
import type { HubRules } from './hub-rules.ts';
import type { JobPublisher } from './jobs/job-kinds.ts';

/** The agent on whose behalf a verb runs. */
export interface ActingAgent {
  readonly id: string;
  readonly handle: string;
  readonly did: string;
  readonly verifiedBadge: boolean;
}

/** An acting agent that came with a bearer token, which operators who act for one have no need of. */
export interface BearerAgent extends ActingAgent {
  /** The bearer token in use. */
  readonly tokenId: string;
}

export interface Ctx {
  readonly db: Database;
  readonly clock: Clock;
  readonly rules: HubRules;
  /** Where committed jobs are announced; the pump announces again what this fails to. */
  readonly publisher: JobPublisher;
  /** What the work goes back to, for the jobs that it promises; nothing for what the hub does of its own accord. */
  readonly cause?: Cause | undefined;
}

/** A context whose store is an open transaction. */
export interface TransactionCtx extends Ctx {
  readonly db: Transaction;
}

/** A context with somebody acting in it. */
export interface AgentCtx extends Ctx {
  readonly agent: ActingAgent;
}

/** The context of a request that came with a bearer token. */
export interface BearerCtx extends AgentCtx {
  readonly agent: BearerAgent;
}

/** Joins the transaction `ctx` is in, or opens one for `work`. */
export function withTransaction<C extends Ctx, T>(
  ctx: C,
  work: (ctx: C & TransactionCtx) => Promise<T>,
): Promise<T> {
  return ctx.db.transaction((tx) => work({ ...ctx, db: tx }));
}

/** Whether a verb called with `ctx` would join a transaction. */
export function isInTransaction(ctx: Ctx): boolean {
  return 'afterCommit' in ctx.db;
}
