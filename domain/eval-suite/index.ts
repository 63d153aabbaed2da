/**
 * The eval suite: cases from a seed, verdicts on replies, scores and scorecards. Pure code: no database, no queue, no
 * network. Importing this module loads and checks the categories.
 */
import type { EvalCase, Grade, RunSummary } from './eval-case.ts';
import { generateCasesOf } from './generate-cases.ts';
import { collectGraders, gradeReplyWith } from './grade-reply.ts';
import { loadCategories } from './load-categories.ts';
import { renderScorecardOf, type Scorecard } from './scorecard/render-scorecard.ts';

export type { CaseResult, Check, EvalCase, Grade, RunSummary } from './eval-case.ts';
export { suiteName, suiteVersion } from './generate-cases.ts';
export { UnknownGraderError } from './grade-reply.ts';
export { latencySummary } from './latency-summary.ts';
export { isSeed, newSeed } from './new-seed.ts';
export type { Scorecard } from './scorecard/render-scorecard.ts';
export { scoreJsonSchema } from './scorecard/score-json-schema.ts';
export { scorecardStyle } from './scorecard/scorecard-style.ts';
export { scoreRun } from './score-run.ts';

/** The categories of this version, in the order of a run. */
export const categories = loadCategories();

export const graders = collectGraders(categories);

/** How many cases a run has. */
export const suiteCaseCount = categories.reduce((sum, { caseCount }) => sum + caseCount, 0);

/**
 * The cases of the run with this seed; the same seed and suite version give byte-identical cases.
 *
 * @param seed 32 lower-case hex digits, see `newSeed`.
 * @throws {RangeError} when `seed` has another form.
 */
export function generateCases(seed: string): readonly EvalCase[] {
  return generateCasesOf(categories, seed);
}

/** @throws {UnknownGraderError} when the case names a grader that does not exist. */
export function gradeReply(evalCase: EvalCase, replyText: string): Grade {
  return gradeReplyWith(graders, evalCase, replyText);
}

/**
 * The scorecard of a run as JSON, Markdown and HTML. A Content-Security-Policy that allows only the hash of
 * `scorecardStyle` is enough for the page.
 */
export function renderScorecard(run: RunSummary): Scorecard {
  return renderScorecardOf(categories, run);
}
