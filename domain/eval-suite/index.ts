/**
 * The eval suite's public face: cases from a seed, verdicts on replies, scores and scorecards. Pure code: nothing
 * below this module touches a database, a queue or the network.
 */
import type { EvalCase, RunSummary } from './eval-case.ts';
import { generateCasesOf } from './generate-cases.ts';
import { loadCategories } from './load-categories.ts';
import { renderScorecardOf } from './scorecard/render-scorecard.ts';
import type { Scorecard } from './scorecard/render-scorecard.ts';

export type { CaseResult, Check, EvalCase, Grade, RunSummary } from './eval-case.ts';
export { gradeReply } from './grade-reply.ts';
export { UnknownGraderError } from './graders/registry.ts';
export { latencySummary } from './latency-summary.ts';
export { newSeed } from './new-seed.ts';
export type { Scorecard } from './scorecard/render-scorecard.ts';
export { scoreJsonSchema } from './scorecard/score-json-schema.ts';
export { scorecardStyle } from './scorecard/scorecard-style.ts';
export { scoreRun } from './score-run.ts';
export { suiteName, suiteVersion } from './suite-identity.ts';

/** The categories of this version, in the order in which they are asked. */
export const categories = await loadCategories();

/**
 * The cases of the run with this seed; the same seed and suite version give byte-identical cases.
 *
 * @param seed 32 lower-case hex digits, see `newSeed`.
 * @throws {RangeError} when `seed` has another form.
 */
export function generateCases(seed: string): readonly EvalCase[] {
  return generateCasesOf(categories, seed);
}

/**
 * The scorecard of a run as JSON, Markdown and HTML. The page allows a Content-Security-Policy with nothing but the
 * hash of `scorecardStyle`.
 */
export function renderScorecard(run: RunSummary): Scorecard {
  return renderScorecardOf(categories, run);
}
