/** Grades the replies to a case. */
import type { Fixed } from '#runtime/json-reader.ts';
import { type Static, Type } from 'typebox';
import type { Reply, SampleReply, SuiteCase } from './document.ts';
import type { Grade, GradeContext, Ungraded } from './graders/grader.ts';
import { judgeNamed } from './judges.ts';
import { graderName, prepareGrader } from './graders/registry.ts';
import { maxReplyCharacters, maxReplyWork } from './limits.ts';
import { turnOf } from './turns.ts';
import { TooMuchWorkError, WorkBudget } from './work-budget.ts';

/** By the name of the grader, such as `equals`. */
export const GraderResult = Type.Object(
  { name: Type.String(), passed: Type.Boolean(), expected: Type.String(), found: Type.String() },
  { additionalProperties: false },
);
export type GraderResult = Fixed<Static<typeof GraderResult>>;

export type CaseGrade =
  | {
      readonly passed: boolean;
      readonly share: number;
      readonly graders: readonly GraderResult[];
      /** The share of each grader, null for those that wait for a judge: the case has not passed until all are known. */
      readonly waiting?: readonly (number | null)[];
    }
  /** The trial counts neither way. */
  | Ungraded;

export interface GradingOptions {
  readonly judge: GradeContext['judge'];
  /** Whether graders that a judge of the runner decides are left open; otherwise the reply is ungraded. */
  readonly leavesJudges?: boolean;
  /** What the reply may cost; by default `maxReplyWork`. */
  readonly work?: WorkBudget;
}

export type GradeReply = (reply: Reply, options: GradingOptions) => Promise<CaseGrade>;

/** Grades replies to a case without faults. Its graders are prepared with the first reply, which pays for that. */
export function prepareCase(suiteCase: SuiteCase): GradeReply {
  let graders: readonly PreparedGrader[] | null = null;
  return async (reply, { judge, leavesJudges = false, work = new WorkBudget(maxReplyWork) }) => {
    const longest = Math.max(...[reply, ...(reply.turns ?? [])].map(({ text }) => text.length));
    if (longest > maxReplyCharacters) return tooLong(longest);
    try {
      graders ??= prepareGraders(suiteCase, work);
      return await gradeWith(graders, suiteCase, reply, { judge, work, leavesJudges });
    } catch (error) {
      if (error instanceof TooMuchWorkError) return tooMuchWork;
      throw error;
    }
  };
}

/** The trial counts neither way, and the suite is to blame: the same reply never gets a verdict from these graders. */
const tooMuchWork = {
  ungraded: `Grading the reply takes more than ${maxReplyWork} steps. Use fewer or simpler graders, or ask for shorter replies.`,
  exhausted: 'work',
} as const satisfies Ungraded;

interface PreparedGrader {
  readonly name: string;
  /** Of the runner. */
  readonly judge: string | null;
  readonly turn: number | null;
  readonly grade: Grade;
}

function prepareGraders({ expect }: SuiteCase, work: WorkBudget): readonly PreparedGrader[] {
  return expect.map((spec) => ({
    name: graderName(spec),
    judge: judgeNamed(spec),
    turn: turnOf(spec),
    grade: prepareGrader(spec, work),
  }));
}

async function gradeWith(
  prepared: readonly PreparedGrader[],
  suiteCase: SuiteCase,
  reply: Reply,
  context: GradeContext & { readonly leavesJudges: boolean },
): Promise<CaseGrade> {
  const graders: GraderResult[] = [];
  const shares: (number | null)[] = [];
  for (const { name: own, judge, turn, grade } of prepared) {
    const name = turn === null ? own : `turn ${turn}: ${own}`;
    const seen = turn === null ? reply : reply.turns?.[turn - 1];
    if (judge !== null && context.leavesJudges) {
      graders.push({
        name: `${name} ${judge}`,
        passed: false,
        expected: 'the reply is accepted',
        found: 'not judged',
      });
      shares.push(null);
      continue;
    }
    if (seen === undefined) {
      graders.push({
        name,
        passed: false,
        expected: 'a reply',
        found: 'none, because the conversation ended earlier',
      });
      shares.push(0);
      continue;
    }
    const judged = await grade(seen, context);
    if ('ungraded' in judged) return judged;
    const { share, expected, found } = judged;
    graders.push({ name, passed: share >= 1, expected, found });
    shares.push(share);
  }
  const known = shares.filter((share) => share !== null);
  if (known.length < shares.length) return { passed: false, share: 0, graders, waiting: shares };
  return { ...gradeOfShares(suiteCase, known), graders };
}

/** @param shares one for each grader, from 0 to 1 */
export function gradeOfShares(
  { expect, pass_at: passAt = 1 }: Pick<SuiteCase, 'expect' | 'pass_at'>,
  shares: readonly number[],
): { readonly passed: boolean; readonly share: number } {
  let [sum, weights, failedRequired] = [0, 0, false];
  for (const [at, spec] of expect.entries()) {
    const share = shares[at] ?? 0;
    const weight = typeof spec['weight'] === 'number' ? spec['weight'] : 1;
    sum += weight * share;
    weights += weight;
    failedRequired ||= spec['required'] === true && share < 1;
  }
  const share = failedRequired ? 0 : Math.min(1, sum / weights);
  // Sums of shares are rounded: three graders of 1/3, 2/3 and 1 pass at 2/3.
  return { passed: share >= passAt - 1e-9, share };
}

function tooLong(length: number): CaseGrade {
  return {
    passed: false,
    share: 0,
    graders: [
      {
        name: 'length',
        passed: false,
        expected: `at most ${maxReplyCharacters} characters`,
        found: `${length} characters`,
      },
    ],
  };
}

export function sampleAsReply(sample: SampleReply): Reply {
  const { text = '', tool_calls: calls = [] } = typeof sample === 'string' ? { text: sample } : sample;
  return {
    text,
    tool_calls: calls.map(({ name, arguments: given = {} }) => ({ name, arguments: given })),
    latencyMs: null,
  };
}
