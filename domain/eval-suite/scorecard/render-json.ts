/** The scorecard as data. `scoreJsonSchema` documents it. */
import type { RunSummary } from '../eval-case.ts';
import { latencySummary } from '../latency-summary.ts';
import { scoreRun } from '../score-run.ts';
import { scoreJsonVersion } from './score-json-schema.ts';
import type { ScoreJson } from './score-json-schema.ts';

export function renderJson(run: RunSummary): ScoreJson {
  return {
    schema_version: scoreJsonVersion,
    job_id: run.job_id,
    suite: run.suite,
    target_url: run.target_url,
    started_at: run.started_at,
    finished_at: run.finished_at,
    ...scoreRun(run.results),
    latency: latencySummary(run.results),
    results: run.results
      .toSorted((left, right) => left.index - right.index)
      .map(({ prompt: _prompt, response_text: _response, checks, ...result }) => ({
        ...result,
        checks: checks.map((check) => ({ ...check })),
      })),
  };
}
