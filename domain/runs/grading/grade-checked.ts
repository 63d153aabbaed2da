/** Grades replies to cases of the hub, and finds out what has changed those that fail. */
import { findUndone } from '#evals/findings/undo.ts';
import type { GraderSpec } from '#evals/own-suite/document.ts';
import { type CaseGrade, prepareCase } from '#evals/own-suite/grade-reply.ts';
import type { Ungraded } from '#evals/own-suite/graders/grader.ts';

/** A reply to a case of the hub. */
export interface CheckedReply {
  readonly id: string;
  readonly expect: readonly GraderSpec[];
  readonly text: string;
}

export interface CheckedGrade {
  readonly grade: Exclude<CaseGrade, Ungraded>;
  /** The changes without which a failed reply passes, by name. */
  readonly undone: readonly string[];
}

export const noJudges: Ungraded = { ungraded: 'This program asks no judges.' };
const judge = () => Promise.resolve(noJudges);

/** A reply that takes too much to grade is wrong: the graders of the hub take little for an honest one. */
export async function gradeChecked({ id, expect, text }: CheckedReply): Promise<CheckedGrade> {
  const prepared = prepareCase({ id, expect });
  const gradeText = (whole: string) => prepared({ text: whole, tool_calls: [], latencyMs: null }, { judge });
  const grade = await gradeText(text);
  if ('ungraded' in grade) return tooMuch(grade.ungraded);
  if (grade.passed) return { grade, undone: [] };
  const passes = async (whole: string) => {
    const graded = await gradeText(whole);
    return 'passed' in graded && graded.passed;
  };
  return { grade, undone: await findUndone(text, passes) };
}

export function tooMuch(found: string): CheckedGrade {
  const grader = { name: 'grading', passed: false, expected: 'a reply that can be graded', found };
  return { grade: { passed: false, share: 0, graders: [grader] }, undone: [] };
}
