/** Measured agents beside every score: whoever runs the hub names a run of one and says what it was. */
import { and, count, eq, isNull } from 'drizzle-orm';
import { lockName } from '#db/locks.ts';
import type { RunNormRow } from '#db/schema/leaderboard-tables.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import { createId } from '#runtime/create-id.ts';
import { requireMaintainer } from '../agents/maintainers.ts';
import { type AgentCtx, type Ctx, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { packHashOf } from '../leaderboard/record-ranked-run.ts';
import { operation } from '../operation.ts';
import { hasEnded } from '../runs/run-outcome.ts';
import { productOf } from '../runs/products.ts';
import { normsOfBoardMax } from './list-norms.ts';

export const normLabelMax = 100;

interface AddNormInput {
  readonly runId: string;
  /** One line, such as "a large language model without code, cold, November 2026". */
  readonly label: string;
}

/**
 * Shows the score of a completed run beside those of the same product, suite version and pack. Runs with one label count
 * as one, by their mean. Another label for the same run replaces the first; the same one again changes nothing.
 * @param ctx of a maintainer, or without an agent for the operator
 * @throws DomainError maintainer_only, run_not_found, run_not_ended, suite_version_mismatch, product_mismatch,
 *   invalid_body, or the code of the product for a run that failed
 */
export async function addNorm(ctx: Ctx | AgentCtx, { runId, label }: AddNormInput): Promise<RunNormRow> {
  const actorId = actorOf(ctx);
  return withTransaction(ctx, async (inner) => {
    await lockName(inner.db, 'norms');
    const { runNorms, runs } = inner.db.tables;
    const [found] = await inner.db.query.select().from(runs).where(eq(runs.id, runId));
    const { score, ...run } = requireMeasured(runId, found);
    const [current] = await inner.db.query.select().from(runNorms).where(isCurrent(inner, runId));
    const text = requireLabel(label);
    if (current?.label === text) return current;
    const board = { product: run.product, suiteVersion: run.suiteVersion, packHash: packHashOf(run) };
    if (current === undefined) await requireRoom(inner, board);
    else await close(inner, current.id, actorId);
    const now = inner.clock.now();
    const norm = {
      id: createId(now),
      runId,
      ...board,
      label: text,
      score,
      addedBy: actorId,
      addedAt: now,
      removedBy: null,
      removedAt: null,
    };
    await inner.db.query.insert(runNorms).values(norm);
    return norm;
  });
}

/**
 * Stops showing the score of a run.
 * @throws DomainError maintainer_only, norm_not_found
 */
export async function removeNorm(
  ctx: Ctx | AgentCtx,
  { runId }: Pick<AddNormInput, 'runId'>,
): Promise<RunNormRow> {
  const actorId = actorOf(ctx);
  return withTransaction(ctx, async (inner) => {
    await lockName(inner.db, 'norms');
    const { runNorms } = inner.db.tables;
    const [current] = await inner.db.query.select().from(runNorms).where(isCurrent(inner, runId));
    if (current === undefined) {
      throw new DomainError('norm_not_found', `Run ${runId} is not among the norms.`, {
        hint: `${operation('listNorms')} lists them.`,
      });
    }
    await close(inner, current.id, actorId);
    return { ...current, removedBy: actorId, removedAt: inner.clock.now() };
  });
}

function actorOf(ctx: Ctx | AgentCtx): string | null {
  if (!('agent' in ctx)) return null;
  requireMaintainer(ctx);
  return ctx.agent.id;
}

/** The rule of labels of runs, with more room: one line that shows something. */
function requireLabel(label: string): string {
  const text = label.trim();
  if (/^\P{C}+$/u.test(text) && /[^\p{Z}]/u.test(text) && Array.from(text).length <= normLabelMax)
    return text;
  throw new DomainError('invalid_body', `\`label\` must be one line of 1 to ${normLabelMax} characters.`, {
    hint: 'Say what was measured, how and when, such as "a large language model without code, cold, November 2026".',
  });
}

type MeasuredRun = RunRow & { readonly score: number };

/** A card shows only the scores of its own suite version, and the suite of a publisher is no measure of the hub. */
function requireMeasured(runId: string, run: RunRow | undefined): MeasuredRun {
  if (run === undefined) {
    throw new DomainError('run_not_found', `There is no run ${runId}.`, {
      hint: 'A scorecard and the list of the runs of an agent show the id of each run.',
    });
  }
  const { suite, describe, name } = productOf(run);
  if (suite === null) {
    throw new DomainError(
      'product_mismatch',
      `Run ${runId} is of a published suite, whose scores have no norms.`,
      {
        hint: 'Add a run whose items are of the hub.',
      },
    );
  }
  if (!hasEnded(run)) {
    throw new DomainError(
      'run_not_ended',
      `Run ${runId} is ${run.status}. Only runs that have ended are norms.`,
      {
        hint: `${operation(describe.show)} shows when it has.`,
      },
    );
  }
  if (run.suiteVersion !== suite.version) {
    throw new DomainError(
      'suite_version_mismatch',
      `Run ${runId} used version ${run.suiteVersion} of its suite; scores of ${name} are of version ${suite.version}.`,
      { hint: 'Add a run of the current version.' },
    );
  }
  if (run.status !== 'completed' || run.score === null || run.cancelled || run.struckAt !== null) {
    const what = run.cancelled ? 'was cancelled' : run.struckAt === null ? 'failed' : 'was struck off';
    throw new DomainError(describe.notCompleted, `Run ${runId} ${what}, so its score measures nothing.`, {
      hint: 'Add a run that has completed.',
    });
  }
  return { ...run, score: run.score };
}

async function requireRoom(
  { db }: TransactionCtx,
  { product, suiteVersion, packHash }: Pick<RunNormRow, 'product' | 'suiteVersion' | 'packHash'>,
): Promise<void> {
  const { runNorms } = db.tables;
  const [row] = await db.query
    .select({ norms: count() })
    .from(runNorms)
    .where(
      and(
        eq(runNorms.product, product),
        eq(runNorms.suiteVersion, suiteVersion),
        eq(runNorms.packHash, packHash),
        isNull(runNorms.removedAt),
      ),
    );
  if ((row?.norms ?? 0) < normsOfBoardMax) return;
  throw new DomainError('invalid_body', `There are ${normsOfBoardMax} norms for these scores already.`, {
    hint: 'Remove one first: `hub norms list` shows them, and `hub norms remove` takes one off.',
  });
}

function isCurrent({ db }: Pick<Ctx, 'db'>, runId: string) {
  const { runNorms } = db.tables;
  return and(eq(runNorms.runId, runId), isNull(runNorms.removedAt));
}

async function close({ db, clock }: TransactionCtx, id: string, actorId: string | null): Promise<void> {
  const { runNorms } = db.tables;
  await db.query
    .update(runNorms)
    .set({ removedAt: clock.now(), removedBy: actorId })
    .where(eq(runNorms.id, id));
}
