/**
 * The context every verb receives: the store (or open transaction), the clock, the configured rules and, for
 * verbs that act for an agent, that agent.
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

/** An agent authenticated by a bearer token. Operators who act for an agent have none. */
export interface BearerAgent extends ActingAgent {
  /** The id of the bearer token in use. */
  readonly tokenId: string;
}

export interface Ctx {
  readonly db: Database;
  readonly clock: Clock;
  readonly rules: HubRules;
  /** Announces committed jobs to the queue. If that fails, the pump announces them again. */
  readonly publisher: JobPublisher;
  /**
   * The trace that caused this work, passed on to the jobs it enqueues; undefined for work the hub starts on
   * its own.
   */
  readonly cause?: Cause | undefined;
}

/** A context whose store is an open transaction. */
export interface TransactionCtx extends Ctx {
  readonly db: Transaction;
}

/** A context with an acting agent. */
export interface AgentCtx extends Ctx {
  readonly agent: ActingAgent;
}

/** The context of a request with a bearer token. */
export interface BearerCtx extends AgentCtx {
  readonly agent: BearerAgent;
}

/** Runs `work` in the open transaction of `ctx`, or in a new one. */
export function withTransaction<C extends Ctx, T>(
  ctx: C,
  work: (ctx: C & TransactionCtx) => Promise<T>,
): Promise<T> {
  return ctx.db.transaction((tx) => work({ ...ctx, db: tx }));
}

/** Returns true if a verb called with `ctx` would join an open transaction. */
export function isInTransaction(ctx: Ctx): boolean {
  return 'afterCommit' in ctx.db;
}
