import type { EvalOutcome } from '#domain/eval-jobs/settle-eval-job.ts';
import type { EvalJobRow } from '#db/schema/eval-tables.ts';
import { type CaseResult, latencySummary, renderScorecard, scoreRun } from '#domain/eval-suite/index.ts';

export function completedOutcome(
  job: EvalJobRow,
  startedAt: Date,
  finishedAt: Date,
  unsorted: readonly CaseResult[],
): EvalOutcome {
  const results = unsorted.toSorted((a, b) => a.index - b.index);
  const scorecard = renderScorecard({
    job_id: job.id,
    suite: { name: job.suiteName, version: job.suiteVersion, seed: job.suiteSeed },
    target_url: job.targetUrl,
    started_at: startedAt.toISOString(),
    finished_at: finishedAt.toISOString(),
    results,
  });
  return {
    kind: 'completed',
    score: scoreRun(results).score,
    latency: latencySummary(results),
    scorecard: {
      scoreMd: scorecard.score_md,
      scoreHtml: scorecard.score_html,
      scoreJson: { ...scorecard.score_json },
    },
  };
}
