/** Grades the replies to a case. */
import type { Fixed } from '#runtime/json-reader.ts';
import { nullable } from '#runtime/schema-parts.ts';
import { type Static, Type } from 'typebox';
import type { Reply, SampleReply, SuiteCase } from './document.ts';
import {
  type Bounds,
  boundsOf,
  type Grade,
  type GradeContext,
  textsOf,
  type Ungraded,
  type Verdict,
  whyUngraded,
} from './graders/grader.ts';
import { judgeNamed } from './judges.ts';
import { graderName, prepareGrader, readsText, tooMuchWork } from './graders/registry.ts';
import { maxReplyCharacters, maxReplyWork } from './limits.ts';
import { turnOf } from './turns.ts';
import { TooMuchWorkError, WorkBudget } from './work-budget.ts';

/** By the name of the grader, such as `equals`. */
export const GraderResult = Type.Object(
  {
    name: Type.String(),
    passed: nullable(Type.Boolean({ description: 'Null without a verdict.' })),
    expected: Type.String(),
    found: Type.String(),
  },
  { additionalProperties: false },
);
export type GraderResult = Fixed<Static<typeof GraderResult>>;

export type CaseGrade =
  | {
      readonly passed: boolean;
      readonly share: number;
      readonly graders: readonly GraderResult[];
      readonly waiting?: WaitingForJudges;
    }
  /** The trial has no verdict. */
  | Ungraded;

export interface WaitingForJudges {
  /** Of each grader, null for those that wait for a judge. */
  readonly shares: readonly (number | null)[];
  /** Whether the judges decide. Otherwise the other graders have failed the case. */
  readonly isOpen: boolean;
}

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

interface PreparedGrader {
  readonly name: string;
  /** Of the runner. */
  readonly judge: string | null;
  readonly turn: number | null;
  readonly readsText: boolean;
  readonly grade: Grade;
}

function prepareGraders({ expect }: SuiteCase, work: WorkBudget): readonly PreparedGrader[] {
  return expect.map((spec) => ({
    name: graderName(spec),
    judge: judgeNamed(spec),
    turn: turnOf(spec),
    readsText: readsText(spec),
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
  const graded: { readonly judged: Verdict | Ungraded; readonly isLeft: boolean }[] = [];
  const { turns = [] } = suiteCase;
  const isWhole = (reply.turns?.length ?? turns.length) >= turns.length;
  for (const { name: own, judge, turn, grade, readsText: needsText } of prepared) {
    const asked = turn === null ? (isWhole ? reply : undefined) : reply.turns?.[turn - 1];
    const seen = needsText && asked?.isUnfinished === true ? undefined : asked;
    const isLeft = seen !== undefined && judge !== null && context.leavesJudges;
    const judged = seen === undefined ? noReply : isLeft ? leftToJudge : await grade(seen, context);
    const [, most] = boundsOf(judged);
    graders.push({
      name: `${turn === null ? '' : `turn ${turn}: `}${own}${isLeft ? ` ${judge}` : ''}`,
      passed: 'share' in judged ? judged.share >= 1 : most < 1 ? false : null,
      ...textsOf(judged),
    });
    graded.push({ judged, isLeft });
  }
  const bounds = graded.map(({ judged }) => boundsOf(judged));
  const { passed, share } = gradeOfBounds(suiteCase, bounds);
  const ungraded = whyUngraded(graded.filter(({ isLeft }) => !isLeft).map(({ judged }) => judged));
  if (passed !== false && ungraded !== null) return ungraded;
  if (!graded.some(({ isLeft }) => isLeft)) return { passed: passed === true, share, graders };
  const shares = graded.map(({ judged, isLeft }) => (isLeft ? null : boundsOf(judged)[0]));
  return { passed: false, share, graders, waiting: { shares, isOpen: passed === null } };
}

const leftToJudge: Ungraded = {
  ungraded: 'not judged',
  expected: 'the reply is accepted',
};

const noReply: Verdict = {
  share: 0,
  expected: 'a reply',
  found: 'no text after the last message or tool result',
};

/**
 * While the share of a grader is not known, the case has not passed: it is failed if no share could make it pass, and
 * undecided otherwise. Shares only ever add to that of the case.
 */
export function gradeOfBounds(
  suiteCase: Pick<SuiteCase, 'expect' | 'pass_at'>,
  bounds: readonly Bounds[],
): { readonly passed: boolean | null; readonly share: number } {
  const least = gradeOfShares(
    suiteCase,
    bounds.map(([share]) => share),
  );
  const most = gradeOfShares(
    suiteCase,
    bounds.map(([, share]) => share),
  );
  if (!most.passed) return { passed: false, share: least.share };
  const isKnown = bounds.every(([low, high]) => low === high);
  return isKnown ? least : { passed: null, share: 0 };
}

/** @param shares one for each grader, from 0 to 1 */
function gradeOfShares(
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
