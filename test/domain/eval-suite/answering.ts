/**
 * Builds the results of a run from an agent that is a plain function, for tests of scores and scorecards.
 */
import { gradeReply } from '#domain/eval-suite/index.ts';
import type { CaseResult, EvalCase, Grade } from '#domain/eval-suite/index.ts';

/** Answers every case; null stands for a target that gave no reply. */
export function answerAll(
  cases: readonly EvalCase[],
  reply: (evalCase: EvalCase) => string | null,
): CaseResult[] {
  return cases.map((evalCase) => {
    const text = reply(evalCase);
    const grade: Grade | null = text === null ? null : gradeReply(evalCase, text);
    const { index, id, category, prompt, weight } = evalCase;
    return {
      index,
      id,
      category,
      prompt,
      weight,
      status: grade === null ? 'error' : grade.passed ? 'passed' : 'failed',
      score: grade?.score ?? 0,
      checks: grade?.checks ?? [],
      response_text: text?.slice(0, 4_000) ?? null,
      error_code: text === null ? 'target_timeout' : null,
      attempts: text === null ? 3 : 1,
      latency_ms: text === null ? null : 100 + index,
    };
  });
}
