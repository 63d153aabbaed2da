/** Grades one reply against one case. Pure and bounded: see `limits.ts`. */
import type { Category } from './category.ts';
import type { Check, EvalCase, Grade } from './eval-case.ts';
import type { Grader, GraderSpec, Verdict } from './graders/grader.ts';
import { maxReplyCharacters } from './limits.ts';

/** Graders by name. */
export type Graders = ReadonlyMap<string, Grader>;

/** A case names a grader that no category registers. Such a case cannot be graded. */
export class UnknownGraderError extends Error {
  override readonly name = 'UnknownGraderError';
  constructor(graderName: string) {
    super(`There is no grader called ${JSON.stringify(graderName)}.`);
  }
}

/** @throws Error when two graders have the same name */
export function collectGraders(categories: readonly Category[]): Graders {
  const graders = new Map<string, Grader>();
  for (const grader of categories.flatMap((category) => category.graders)) {
    if ((graders.get(grader.name) ?? grader) !== grader) {
      throw new Error(`Two graders are called ${grader.name}.`);
    }
    graders.set(grader.name, grader);
  }
  return graders;
}

/** @throws {UnknownGraderError} when no grader has the name, so that it never counts as a pass */
export function applyGrader(graders: Graders, { name, parameters }: GraderSpec, reply: string): Verdict {
  const grader = graders.get(name);
  if (grader === undefined) throw new UnknownGraderError(name);
  return grader.grade(parameters, reply);
}

/**
 * Runs every grader of the case on the reply.
 *
 * @throws {UnknownGraderError} when the case names a grader that does not exist
 */
export function gradeReplyWith(graders: Graders, evalCase: EvalCase, replyText: string): Grade {
  if (evalCase.graders.length === 0) throw new Error(`Case ${evalCase.id} has no grader.`);
  const tooLong = replyText.length > maxReplyCharacters;
  const checks = evalCase.graders.map((spec): Check => {
    const verdict = applyGrader(graders, spec, tooLong ? '' : replyText);
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
