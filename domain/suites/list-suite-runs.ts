/** The runs of a suite as its owner sees them: who ran it, how it ended, and how many cases the runner has seen. */
import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { inList } from '#db/conditions.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { AgentCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { newestFirst, type Page, type PageInput } from '../paging.ts';
import { findSuite, type FoundSuite, type SuiteKey } from './find-suite.ts';

export interface SuiteRun {
  readonly run: RunRow;
  /** Of the runner. */
  readonly handle: string;
  /** The number of different cases that were sent to the runner or fetched by it. */
  readonly casesSeen: number;
}

/**
 * Newest first.
 * @throws DomainError not_found; not_author for anybody but the owner
 */
export async function listSuiteRuns(
  ctx: AgentCtx,
  { owner, name, ...page }: PageInput & SuiteKey,
): Promise<Page<SuiteRun>> {
  const suite = await findOwnSuite(ctx, { owner, name });
  const { agents, runs } = ctx.db.tables;
  const { items, nextCursor } = await newestFirst('runs', page, runs.id, (isOnPage) =>
    ctx.db.query
      .select({ id: runs.id, run: runs, handle: agents.handle })
      .from(runs)
      .innerJoin(agents, eq(agents.id, runs.agentId))
      .where(and(eq(runs.suiteId, suite.id), isOnPage)),
  );
  const seen = await countCasesSeen(
    ctx.db,
    items.map(({ id }) => id),
  );
  return {
    items: items.map(({ id, run, handle }) => ({
      run,
      handle,
      casesSeen: run.casesSeen ?? seen.get(id) ?? 0,
    })),
    nextCursor,
  };
}

/** @throws DomainError not_found; not_author for anybody but the owner */
export async function findOwnSuite(ctx: AgentCtx, key: SuiteKey): Promise<FoundSuite> {
  const suite = await findSuite(ctx, key, ctx.agent);
  if (suite.ownerId === ctx.agent.id) return suite;
  throw new DomainError('not_author', 'Only the owner of a suite sees its runs and its drafts.', {
    hint: 'Its leaderboard shows ranked runs to everybody.',
  });
}

/** Different cases by run, whatever their trials: those that were leased, and those with a call to the target. */
export async function countCasesSeen(
  db: Database,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (runIds.length === 0) return new Map();
  const { runItems, runLeases, runs } = db.tables;
  const caseOf = (index: typeof runItems.itemIndex | typeof runLeases.itemIndex) =>
    sql<number>`${index} % (${runs.runSize} / ${runs.trials})`.mapWith(Number);
  const leased = await db.query
    .selectDistinct({ runId: runLeases.runId, place: caseOf(runLeases.itemIndex) })
    .from(runLeases)
    .innerJoin(runs, eq(runs.id, runLeases.runId))
    .where(inList(db, runLeases.runId, runIds));
  const sent = await db.query
    .selectDistinct({ runId: runItems.runId, place: caseOf(runItems.itemIndex) })
    .from(runItems)
    .innerJoin(runs, eq(runs.id, runItems.runId))
    .where(
      and(inList(db, runItems.runId, runIds), sql`cast(${runItems.result} ->> 'attempts' as integer) > 0`),
    );
  const places = Map.groupBy([...leased, ...sent], ({ runId }) => runId);
  return new Map([...places].map(([runId, own]) => [runId, new Set(own.map(({ place }) => place)).size]));
}
