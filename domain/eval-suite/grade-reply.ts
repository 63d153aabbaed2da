/** Grades one reply against one case. Pure and bounded: see `limits.ts`. */
import type { Check, EvalCase, Grade } from './eval-case.ts';
import { applyGrader } from './graders/registry.ts';
import { maxReplyCharacters } from './limits.ts';

/**
 * Runs every grader of the case over the reply.
 *
 * @throws {UnknownGraderError} when the case names a grader that does not exist: that is never a pass.
 */
export function gradeReply(evalCase: EvalCase, replyText: string): Grade {
  if (evalCase.graders.length === 0) throw new Error(`Case ${evalCase.id} has no grader.`);
  const tooLong = replyText.length > maxReplyCharacters;
  const checks = evalCase.graders.map((spec): Check => {
    const verdict = applyGrader(spec, tooLong ? '' : replyText);
    const passed = verdict.passed && !tooLong;
    const passedLoose = (verdict.passedLoose ?? verdict.passed) && !tooLong;
    return {
      name: spec.name,
      passed,
      message: tooLong
        ? `Expected a reply of at most ${maxReplyCharacters} characters, found ${replyText.length}.`
        : verdict.message,
      ...(passedLoose === passed ? {} : { passed_loose: passedLoose }),
      ...(spec.weight === undefined ? {} : { weight: spec.weight }),
    };
  });
  const passed = checks.every((check) => check.passed);
  return { score: evalCase.scoring === 'all' ? Number(passed) : weightedShare(checks), passed, checks };
}

function weightedShare(checks: readonly Check[]): number {
  let total = 0;
  let earned = 0;
  for (const check of checks) {
    const weight = check.weight ?? 1;
    total += weight;
    if (check.passed) earned += weight;
  }
  return earned / total;
}
