import type { RunRow } from '#db/schema/run-tables.ts';
import type { StoredCase } from '#evals/suite/stored-case.ts';
import { latencySummary } from '#evals/suite/latency-summary.ts';
import { normsWith } from '#evals/suite/norms.ts';
import type { Pack } from '#evals/suite/packs/pack.ts';
import { roundToTenth } from '#evals/suite/round-to-tenth.ts';
import { estimateRun } from '#evals/suite/score-ladder.ts';
import type { ScoreJson } from '#evals/suite/scorecard/score-json-schema.ts';
import { renderJson } from '#evals/suite/scorecard/render-json.ts';
import { meansOfTrials, summarizeTrials } from '#evals/suite/trials.ts';
import type { CompletedOutcome } from '../../run-outcome.ts';

export interface EndedRun {
  readonly run: RunRow;
  /** The private pack of the run. */
  readonly pack: Pack | null;
  readonly finishedAt: Date;
}

/**
 * Scores a run.
 *
 * @param missing cases that were never asked or answered, which are stored when the run is settled
 */
export function completedOutcome(
  { run, pack, finishedAt }: EndedRun,
  recorded: readonly StoredCase[],
  missing: readonly StoredCase[] = [],
): CompletedOutcome & { readonly scoreJson: ScoreJson } {
  const results = [...recorded, ...missing];
  const estimate = estimateRun(meansOfTrials(results, run.repeat));
  const repeats = summarizeTrials(results, run.repeat);
  const startedAt = run.startedAt ?? run.createdAt;
  const norms = normsWith(pack);
  const scoreJson = renderJson({ run, startedAt, finishedAt, estimate, results, norms, repeats });
  return {
    kind: 'completed',
    score: roundToTenth(estimate.score),
    latency: latencySummary(results),
    estimate: {
      level: scoreJson.level,
      interval: scoreJson.interval,
      ladder: {
        ability: estimate.ability,
        se: estimate.se,
        score_se: estimate.scoreSe,
        range: estimate.range,
      },
      ...(repeats === null ? {} : { repeats }),
    },
    scoreJson: { ...scoreJson },
    missing,
  };
}
