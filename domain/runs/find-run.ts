/** Runs as their owner finds them, and the state in which they are. For everybody else they do not exist. */
import { and, asc, desc, eq, gt, lt, type Placeholder, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { filteredStatement } from '#db/filtered-statement.ts';
import { prepareForTransactions, prepareOnce } from '#db/prepared.ts';
import { lockRows } from '#db/transaction.ts';
import type { RunRow, RunStatus } from '#db/schema/run-tables.ts';
import { hasReply } from '#evals/stored-item.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import type { AgentCtx, TransactionCtx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';
import { type Page, pageById, type PageInput } from '../paging.ts';

export interface RunKey {
  readonly runId: string;
}

/** A run of one product, or of any. */
export interface OwnRunKey extends RunKey {
  readonly product?: RunRow['product'] | undefined;
}

/** @throws DomainError run_not_found */
export async function findOwnRun(ctx: AgentCtx, key: OwnRunKey): Promise<RunRow> {
  const [run] = await selectOwn(ctx.db).execute({ runId: key.runId, agentId: ctx.agent.id });
  return ofProduct(run, key);
}

/**
 * Locks a run of the acting agent, so that changes to it happen one after the other.
 * @throws DomainError run_not_found
 */
export async function lockOwnRun(ctx: AgentCtx & TransactionCtx, key: OwnRunKey): Promise<RunRow> {
  const [run] = await lockRows(ctx.db, ownRun(ctx.db, key.runId, ctx.agent.id));
  return ofProduct(run, key);
}

type Value = string | Placeholder;

function ownRun({ query, tables: { runs } }: Database, runId: Value, agentId: Value) {
  return query
    .select()
    .from(runs)
    .where(and(eq(runs.id, runId), eq(runs.agentId, agentId)));
}

const selectOwn = prepareOnce((db) =>
  ownRun(db, sql.placeholder('runId'), sql.placeholder('agentId')).prepare('find_own_run'),
);

/** @throws DomainError run_not_found */
function ofProduct(run: RunRow | undefined, key: OwnRunKey): RunRow {
  if (run === undefined || run.product !== (key.product ?? run.product)) throw noOwnRun(key);
  return run;
}

export function noOwnRun({ runId, product }: OwnRunKey): DomainError {
  const noun = product?.replace('-', ' ') ?? 'run';
  return new DomainError('run_not_found', `You have no ${noun} with the id ${runId}.`, {
    hint: `${operation('getRuns')} lists yours.`,
  });
}

export function hasEnded({ status }: Pick<RunRow, 'status'>): boolean {
  return status === 'completed' || status === 'failed';
}

/** @throws DomainError run_not_completed */
export function requireCompleted(run: RunRow): RunRow {
  if (run.status === 'completed') return run;
  const message = `Run ${run.id} is ${run.status}. Only a completed run has results.`;
  throw new DomainError('run_not_completed', message, {
    hint: `${operation('getRun')} shows its progress, and the reason if it failed.`,
  });
}

/** @throws DomainError gone if they were deleted at the end of their retention */
export function requireItems(run: RunRow): RunRow {
  if (run.itemsPrunedAt === null) return run;
  throw itemsGone(run);
}

export function itemsGone({ id }: RunRow): DomainError {
  return new DomainError('gone', `The hub no longer has the cases of run ${id}.`, {
    hint: `Export, judge or regrade a run while its cases are stored. ${operation('getRun')} still shows its figures.`,
  });
}

/** @throws DomainError not_pull_mode unless the agent itself fetches the items of the run */
export function requirePullMode(run: RunRow): RunRow {
  if (run.mode === 'pull') return run;
  throw new DomainError('not_pull_mode', 'The hub sends the cases of this run to its target.', {
    hint: 'Redeem without `target_url` and `target` to fetch the cases yourself.',
  });
}

/** A run of anybody, which its caller knows to exist. */
export async function readRun({ db }: Pick<AgentCtx, 'db'>, { runId }: RunKey): Promise<RunRow> {
  const { runs } = db.tables;
  const [run] = await db.query.select().from(runs).where(eq(runs.id, runId));
  if (run === undefined) throw new Error(`There is no run ${runId}.`);
  return run;
}

/** Serialises all changes to a run. */
export async function lockRun({ db }: TransactionCtx, { runId }: RunKey): Promise<RunRow> {
  const [run] = await selectLocked(db).execute({ runId });
  if (run === undefined) throw new Error(`Run ${runId} was read before it was locked.`);
  return run;
}

const selectLocked = prepareForTransactions((db) => {
  const { runs } = db.tables;
  return lockRows(
    db,
    db.query
      .select()
      .from(runs)
      .where(eq(runs.id, sql.placeholder('runId'))),
  ).prepare('');
});

export interface RunFilter {
  readonly product?: RunRow['product'] | undefined;
  /** As runs name it: `@owner/name` for a published suite. */
  readonly suite?: string | undefined;
  readonly label?: string | undefined;
  readonly status?: RunStatus | undefined;
}

/** Newest first. */
export async function listRuns(
  { db, agent }: AgentCtx,
  { product, suite, label, status, ...page }: RunFilter & PageInput,
): Promise<Page<RunRow>> {
  const filters = { agentId: agent.id, product, suite, label, status };
  return pageById('runs', page, (before, limit) => selectPage(db, { ...filters, before, limit }));
}

interface PageFilters extends RunFilter {
  readonly agentId: string;
  readonly before: string | undefined;
  readonly limit: number;
}

const selectPage = filteredStatement<PageFilters, RunRow>(({ query, tables: { runs } }, given) => {
  const { agentId, product, suite, label, status, before, limit } = given;
  return query
    .select()
    .from(runs)
    .where(
      and(
        eq(runs.agentId, agentId),
        product && eq(runs.product, product),
        suite && eq(runs.suiteName, suite),
        label && eq(runs.label, label),
        status && eq(runs.status, status),
        before && lt(runs.id, before),
      ),
    )
    .orderBy(desc(runs.id))
    .limit(limit);
});

const labelled = 'branch:';

/** The label that a baseline names. */
export function labelOf(baseline: string): string | null {
  return baseline.startsWith(labelled) ? baseline.slice(labelled.length) : null;
}

type OfSuite = Pick<RunRow, 'product' | 'suiteName'>;
type Later = Pick<RunRow, 'id' | 'suiteId' | 'suiteVersion'>;

/**
 * The own run of a suite that `baseline` names.
 * @param baseline `latest` or `branch:LABEL` for the newest completed run that was not cancelled, or the id of a run
 * @param before only a run that is older than this one and can be compared with it; by default any
 * @returns null if there is no such run
 * @throws DomainError run_not_found; invalid_parameter for a run of another suite
 */
export async function findBaseline(
  ctx: AgentCtx,
  ofSuite: OfSuite,
  baseline: string,
  before?: Later,
): Promise<RunRow | null> {
  const label = labelOf(baseline);
  if (label !== null || baseline === 'latest')
    return (await listCompleted(ctx, ofSuite, { label, before, limit: 1 }))[0] ?? null;
  const found = await findOwnRun(ctx, { runId: baseline });
  if (found.product === ofSuite.product && found.suiteName === ofSuite.suiteName) return found;
  throw new DomainError(
    'invalid_parameter',
    `The run ${baseline} of \`baseline\` is of ${found.product} ${found.suiteName}.`,
    { hint: `Name a run of the same suite, or use \`latest\`. ${operation('getRuns')} lists yours.` },
  );
}

interface CompletedFilter {
  /** Null for runs with any label, or with none. */
  readonly label: string | null;
  /** Only runs that are older than this one and can be compared with it. */
  readonly before: Later | undefined;
  readonly limit: number;
}

/** Completed runs of a suite that were not cancelled, newest first. */
export async function listCompleted(
  { db, agent }: AgentCtx,
  { product, suiteName }: OfSuite,
  { label, before, limit }: CompletedFilter,
): Promise<readonly RunRow[]> {
  const { runs } = db.tables;
  return db.query
    .select()
    .from(runs)
    .where(
      and(
        eq(runs.agentId, agent.id),
        eq(runs.product, product),
        eq(runs.suiteName, suiteName),
        eq(runs.status, 'completed'),
        eq(runs.cancelled, false),
        label === null ? undefined : eq(runs.label, label),
        before && lt(runs.id, before.id),
        // Versions of a published suite share cases.
        before &&
          (before.suiteId === null
            ? eq(runs.suiteVersion, before.suiteVersion)
            : eq(runs.suiteId, before.suiteId)),
      ),
    )
    .orderBy(desc(runs.id))
    .limit(limit);
}

/** Signalled on every change of the run. */
export function runTopic(runId: string): string {
  return `run.${runId}`;
}

export interface RunProgress {
  /** Position among the items that have ended, from 1. */
  readonly position: number;
  /** Whether the agent gave a reply to grade. The verdict is only shown once the run has ended. */
  readonly answered: boolean;
  readonly finishedAt: Date;
}

/** Of one page of {@link listProgress}. */
export const progressMax = 500;

/** The items that ended after the first `after`, in order, at most {@link progressMax}. */
export async function listProgress(
  { db }: AgentCtx,
  { runId, after }: RunKey & { readonly after: number },
): Promise<RunProgress[]> {
  const { runItems } = db.tables;
  const items = await db.query
    .select({
      position: runItems.position,
      status: sql<StoredTrial['status']>`${runItems.result} ->> 'status'`,
      code: sql<string | null>`${runItems.result} ->> 'error_code'`,
      finishedAt: runItems.finishedAt,
    })
    .from(runItems)
    .where(and(eq(runItems.runId, runId), gt(runItems.position, after)))
    .orderBy(asc(runItems.position))
    .limit(progressMax);
  return items.map(({ status, code, ...item }) => ({
    ...item,
    answered: hasReply({ status, error_code: code }),
  }));
}
