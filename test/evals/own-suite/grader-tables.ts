/** Tries graders on tables of replies. */
import { describe, expect, test } from 'bun:test';
import type { Reply, SuiteCase } from '#evals/own-suite/document.ts';
import { prepareCase, sampleAsReply } from '#evals/own-suite/grade-reply.ts';
import type { GradeContext } from '#evals/own-suite/graders/grader.ts';
import { checkGrader, prepareGrader } from '#evals/own-suite/graders/registry.ts';
import { WorkBudget } from '#evals/own-suite/work-budget.ts';

interface Table {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly passes: readonly string[];
  readonly fails: readonly string[];
}

export type Tables = Readonly<Record<string, Table>>;

export const noJudge: GradeContext = { judge: null, work: new WorkBudget(1_000_000_000) };
export const replyOf = (text: string): Reply => ({ text, tool_calls: [], latencyMs: null });

export async function passes(spec: Readonly<Record<string, unknown>>, reply: Reply): Promise<boolean> {
  expect(checkGrader(spec, ['expect', 0])).toEqual([]);
  const judged = await prepareGrader(spec)(reply, noJudge);
  if ('ungraded' in judged) throw new Error(judged.ungraded);
  expect(judged.expected).not.toBe('');
  expect(judged.found).not.toBe('');
  return judged.share === 1;
}

/** Tells whether a text passes a case. */
export function passerOf(suiteCase: Pick<SuiteCase, 'expect' | 'pass_at'>) {
  const grade = prepareCase({ id: 'a', ...suiteCase });
  return async (text: string): Promise<boolean> => {
    const graded = await grade(sampleAsReply(text), { judge: null });
    return 'passed' in graded && graded.passed;
  };
}

/** The short texts between bars or line breaks. */
export const barred = (texts: string): readonly string[] => texts.trim().split(/ \| |\s*\n\s*/);

/** @param tables by what they show */
export function tryTables(tables: Tables): void {
  for (const [title, { spec, passes: right, fails: wrong }] of Object.entries(tables)) {
    describe(title, () => {
      for (const [verb, replies] of Object.entries({ passes: right, fails: wrong }))
        test.each(replies.map((reply) => [reply.length > 100 ? `${reply.slice(0, 100)}…` : reply, reply]))(
          `${verb} %j`,
          async (_, reply) => {
            expect(await passes(spec, replyOf(reply))).toBe(verb === 'passes');
          },
        );
    });
  }
}
