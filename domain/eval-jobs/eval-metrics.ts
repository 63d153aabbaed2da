/** How eval runs end, by whoever settles them. */
import { counter } from '#runtime/tracing/metrics.ts';
import type { EvalOutcome } from './settle-eval-job.ts';

const runs = counter(
  'hub_eval_runs_total',
  'Eval runs ended: outcome completed or failed, and the failure code (none when completed).',
  ['outcome', 'code'],
);

/** To be called after the commit. */
export function countEvalRun(outcome: EvalOutcome): void {
  runs.inc({ outcome: outcome.kind, code: outcome.kind === 'failed' ? outcome.code : 'none' });
}
