/** A run of any product with its result, its findings and its cases, as its agent sees them. */
import type { Finding, ShownSuiteCase } from '#evals/own-suite/shown-run.ts';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { StoredSuiteResult } from '#evals/own-suite/stored-trial.ts';
import { verdictNotes } from '#evals/report/verdict-notes.ts';
import type { AgentCtx, Ctx } from '../context.ts';
import { readResult } from './cases/read-results.ts';
import { readAsked, readCases } from './cases/show-cases.ts';
import { findOwnRun, type OwnRunKey } from './find-run.ts';
import { productOf } from './products.ts';
import { listItemsInParts } from './store-items.ts';

export interface ShownRun {
  readonly run: RunRow;
  /** Null until the run has completed. */
  readonly result: StoredSuiteResult | null;
  /** What is wrong with the agent. Null until the run has ended, and for suites without rules for it. */
  readonly findings: readonly Finding[] | null;
  /** What the run does not ask, or cannot see, and which verdicts are not of the hub's rules, in sentences. */
  readonly unseen: readonly string[];
  /** Null unless they were asked for. */
  readonly cases: readonly ShownSuiteCase[] | null;
}

/** @throws DomainError run_not_found */
export async function showOwnRun(
  ctx: AgentCtx,
  { withCases = false, ...key }: OwnRunKey & { readonly withCases?: boolean },
): Promise<ShownRun> {
  const [run, result] = await Promise.all([findOwnRun(ctx, key), readResult(ctx, key.runId)]);
  const cases =
    withCases && result !== undefined
      ? await Array.fromAsync(readCases(ctx, run, await readAsked(ctx, run, result.marks)))
      : null;
  const findings = await findingsOf(ctx, run, result);
  return { run, result: result ?? null, findings, unseen: unseenOf(run, result), cases };
}

/** What a run does not ask, cannot see, or has not seen, in sentences. */
export function unseenOf(run: RunRow, result: StoredSuiteResult | undefined): readonly string[] {
  const { unanswered = 0 } = result ?? {};
  const { runSize, trials, replayOf } = run;
  const answered = `${runSize - unanswered} of ${runSize} ${trials === 1 ? 'cases were' : 'trials were'}`;
  return [
    ...(unanswered === 0 ? [] : [`${answered} answered. The others count as failed.`]),
    ...(run.seedGiven ? [knownItems(replayOf)] : []),
    ...(productOf(run).cases.unseenIn?.(run) ?? []),
    ...(result === undefined ? [] : verdictNotes(result)),
  ];
}

function knownItems(replayOf: string | null): string {
  const seed = replayOf === null ? 'a chosen seed' : `run ${replayOf}`;
  return `The cases are those of ${seed}: the agent may have known them.`;
}

/** The findings of an ended run; null if its suite has no rules for them. */
async function findingsOf(
  ctx: Ctx,
  run: RunRow,
  result: StoredSuiteResult | undefined,
): Promise<readonly Finding[] | null> {
  if (run.status !== 'failed') return result?.findings ?? null;
  const plan = await productOf(run).cases.plan(ctx, run);
  return plan?.findings(await listItemsInParts(ctx, run.id, (item) => plan.scored(item))) ?? null;
}
