/** A completed run of any product for export, with what its own view shows and nothing more. */
import { roundInterval } from '#evals/rates.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { ExportedItem, ExportedRun } from '#evals/export/run-export.ts';
import type { StoredSuiteResult } from '#evals/own-suite/stored-trial.ts';
import type { AgentCtx } from '../context.ts';
import { invariant } from '../errors.ts';
import { findOwnRun, requireCompleted, requireItems } from './find-run.ts';
import { exportCases } from './cases/export-cases.ts';
import { readResult } from './cases/read-results.ts';
import { listEnds } from './store-items.ts';
import { unseenOf } from './show-run.ts';

interface ExportOptions {
  /** Whether cases that were deleted are exported with their verdicts only. */
  readonly mayBePruned?: boolean;
}

/** @throws DomainError run_not_completed, gone */
export async function exportRun(
  ctx: AgentCtx,
  run: RunRow,
  { mayBePruned = false }: ExportOptions = {},
): Promise<ExportedRun> {
  const { id, score, finishedAt, estimate } = requireCompleted(run);
  if (!mayBePruned) requireItems(run);
  const result = await readResult(ctx, id);
  invariant(
    score !== null && estimate !== null && finishedAt !== null && result !== undefined,
    'A completed run has a score, a result and an end.',
  );
  return {
    id,
    product: run.product,
    suite: { name: run.suiteName, version: run.suiteVersion },
    agent: ctx.agent.handle,
    model: run.target?.model ?? null,
    hub: ctx.rules.baseUrl,
    address: `${ctx.rules.baseUrl}/me/runs/${id}`,
    label: run.label,
    cancelled: run.cancelled,
    regradedFrom: run.regradedFrom,
    score,
    interval: roundInterval(estimate.interval),
    passRate: passRateOf(result),
    tags: Object.entries(result.tags).map(([tag, share]) => ({ tag, ...share })),
    metrics: result.metrics ?? {},
    unanswered: result.unanswered,
    findings: result.findings ?? null,
    unseen: unseenOf(run, result),
    judgedCases: result.judged?.cases ?? [],
    overruledCases: result.reviewed?.overruled ?? [],
    partialCases: result.partial ?? [],
    leftOutCases: result.left_out ?? 0,
    trials: run.trials,
    usage: run.usage,
    createdAt: run.createdAt,
    startedAt: run.startedAt,
    finishedAt,
    items: () => readItems(ctx, run, result.marks, mayBePruned),
    ends: () => listEnds(ctx, id),
  };
}

function passRateOf({ pass_rate: rate, exact }: StoredSuiteResult): ExportedRun['passRate'] {
  const { numerator, denominator } = exact;
  return { ...rate, exact: { numerator: BigInt(numerator), denominator: BigInt(denominator) } };
}

/**
 * @throws DomainError gone at the end if the items were deleted while they were read, so that no file ends early
 * and looks whole
 */
async function* readItems(
  ctx: AgentCtx,
  run: RunRow,
  marks: StoredSuiteResult['marks'],
  mayBePruned: boolean,
): AsyncGenerator<ExportedItem> {
  yield* exportCases(ctx, run, marks);
  if (!mayBePruned) requireItems(await findOwnRun(ctx, { runId: run.id }));
}
