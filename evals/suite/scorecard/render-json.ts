import type { StoredCase } from '#evals/suite/stored-case.ts';
import type { AbilityEstimate } from '../ladder/ability.ts';
import { latencySummary } from '../../latency-summary.ts';
import { roundRate } from '../../rates.ts';
import { roundToTenth } from '../round-to-tenth.ts';
import { countStatuses, findFirstFixes, scoreCategories, scoreSkills } from '../score-ladder.ts';
import { costOf } from '../../run-cost.ts';
import { addTokenUsage, type TokenUsage } from '../../token-usage.ts';
import type { Repeats } from '../trials.ts';
import { type ScoreJson, scoreJsonVersion } from './score-json-schema.ts';

const firstFixesMax = 5;
/** The cases that a push run asks one at a time. */
const soloCases = 3;

export interface ScoredRun {
  readonly id: string;
  readonly suiteName: string;
  readonly suiteVersion: string;
  readonly suiteSeed: string;
  readonly repeat: number;
  readonly mode: 'push' | 'pull';
  readonly targetUrl: string | null;
  readonly target: { readonly concurrency: number } | null;
}

export interface RunToScore {
  readonly run: ScoredRun;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly estimate: AbilityEstimate;
  readonly results: readonly StoredCase[];
  readonly repeats: Repeats | null;
}

export function renderJson({
  run,
  startedAt,
  finishedAt,
  estimate,
  repeats,
  ...rest
}: RunToScore): ScoreJson {
  const results = rest.results.toSorted((left, right) => left.index - right.index);
  const tally = countStatuses(results);
  const usage = results.reduce<TokenUsage | null>((sum, one) => addTokenUsage(sum, one.usage ?? null), null);
  // An estimate of a perfect run may be below 100, and that of another one rounds to it.
  const isZero = results.every((one) => one.score === 0);
  const score = tally.passed === results.length ? 100 : isZero ? 0 : roundRate(estimate.score);
  const asked = results.filter(({ form_kept }) => form_kept !== undefined);
  return {
    schema_version: scoreJsonVersion,
    job_id: run.id,
    suite: { name: run.suiteName, version: run.suiteVersion, seed: run.suiteSeed },
    mode: run.mode,
    target_url: run.mode === 'push' ? run.targetUrl : null,
    concurrency: run.target?.concurrency ?? null,
    started_at: startedAt.toISOString(),
    finished_at: finishedAt.toISOString(),
    score,
    interval: { low: roundToTenth(estimate.interval.low), high: roundToTenth(estimate.interval.high) },
    level: {
      value: roundToTenth(estimate.level.value),
      se: roundToTenth(estimate.level.se),
      top: estimate.level.top,
    },
    ...tally,
    error_rate: roundToTenth((100 * tally.errors) / results.length),
    wrong_wrapping: results.filter(({ right_value_wrong_wrapping: wrong }) => wrong === true).length,
    form: { asked: asked.length, kept: asked.filter(({ form_kept }) => form_kept === true).length },
    categories: scoreCategories(results),
    skills: scoreSkills(results),
    first_fixes: findFirstFixes(results, firstFixesMax),
    repeat: repeats === null ? null : { k: run.repeat, pass_k: repeats.pass_k, flaky: [...repeats.flaky] },
    usage,
    cost: costOf(score, usage, null, latencySummary(results)),
    latency: latencySummary(results),
    solo_latency_ms:
      run.mode === 'push' ? (latencySummary(results.slice(0, soloCases))?.p50_ms ?? null) : null,
    results: results.map(showResult),
  };
}

/** Leaves out replies and other responses, which are in the cases. */
function showResult(result: StoredCase) {
  const { response_text: _reply, error_response: _response, kind, level, stage, found, ...rest } = result;
  return {
    ...rest,
    kind,
    level,
    stage,
    found,
    checks: result.checks.map((check) => ({ ...check })),
  };
}
