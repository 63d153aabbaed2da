/** A completed run of any product for export, with what its own view shows and nothing more. */
import { roundInterval } from '#evals/rates.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { ExportedItem, ExportedRun } from '#evals/export/run-export.ts';
import type { AgentCtx } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { operation } from '../operation.ts';
import { findOwnRun, type RunKey } from './find-run.ts';
import { productOf } from './products.ts';
import { readSuiteResults } from './show-run.ts';

/** @throws DomainError run_not_found, the product's code for runs that have not completed, cases_pruned */
export async function exportRun(ctx: AgentCtx, { runId }: RunKey): Promise<ExportedRun> {
  return exportFound(ctx, await findOwnRun(ctx, { runId }));
}

export async function exportFound(ctx: AgentCtx, run: RunRow): Promise<ExportedRun> {
  const { id, score, finishedAt, estimate } = requireExportable(run);
  invariant(score !== null && finishedAt !== null, 'A completed run has a score and an end.');
  return {
    id,
    product: run.product,
    suite: { name: run.suiteName, version: run.suiteVersion },
    agent: ctx.agent.handle,
    model: run.target?.model ?? null,
    hub: ctx.rules.baseUrl,
    address: `${ctx.rules.baseUrl}${productOf(run).describe.page}/${id}`,
    label: run.label,
    cancelled: run.cancelled,
    score,
    interval: estimate === null ? null : roundInterval(estimate.interval),
    passRate: await readPassRate(ctx, run),
    trials: run.trials * run.repeat,
    usage: run.usage,
    createdAt: run.createdAt,
    startedAt: run.startedAt,
    finishedAt,
    items: () => readItems(ctx, run),
  };
}

async function readPassRate(ctx: AgentCtx, run: RunRow): Promise<ExportedRun['passRate']> {
  if (productOf(run).compareCases === null) return null;
  const result = (await readSuiteResults(ctx, [run.id])).get(run.id);
  if (result === undefined) return null;
  const { numerator, denominator } = result.exact;
  return {
    ...result.pass_rate,
    exact: { numerator: BigInt(numerator), denominator: BigInt(denominator) },
  };
}

/**
 * @throws DomainError cases_pruned at the end if the items were deleted while they were read, so that no file ends early
 * and looks whole
 */
async function* readItems(ctx: AgentCtx, run: RunRow): AsyncGenerator<ExportedItem> {
  yield* productOf(run).exported(ctx, run);
  requireExportable(await findOwnRun(ctx, { runId: run.id }));
}

function requireExportable(run: RunRow): RunRow {
  const { notCompleted, show } = productOf(run).describe;
  if (run.status !== 'completed') {
    throw new DomainError(
      notCompleted,
      `Run ${run.id} is ${run.status}. Only completed runs can be exported.`,
      {
        hint: `${operation(show)} shows its progress, and the reason if it failed.`,
      },
    );
  }
  if (run.itemsPrunedAt === null) return run;
  throw new DomainError(
    'cases_pruned',
    `The ${productOf(run).describe.items} of run ${run.id} were deleted at the end of their retention.`,
    { hint: `Export a run while it has them. ${operation(show)} still shows its figures.` },
  );
}
