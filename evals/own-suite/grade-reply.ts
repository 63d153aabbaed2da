/** Grades the replies to a case. */
import type { Reply, SampleReply, SuiteCase } from './document.ts';
import type { Grade, GradeContext, Ungraded } from './graders/grader.ts';
import { graderName, prepareGrader } from './graders/registry.ts';
import { maxReplyCharacters, maxReplyWork } from './limits.ts';
import { TooMuchWorkError, WorkBudget } from './work-budget.ts';

export interface GraderResult {
  /** The grader's name, such as `equals`. */
  readonly name: string;
  readonly passed: boolean;
  readonly expected: string;
  readonly found: string;
}

export type CaseGrade =
  | { readonly passed: boolean; readonly share: number; readonly graders: readonly GraderResult[] }
  /** The trial counts neither way. */
  | Ungraded;

export interface GradingOptions {
  readonly judge: GradeContext['judge'];
  /** What the reply may cost; by default `maxReplyWork`. */
  readonly work?: WorkBudget;
}

export type GradeReply = (reply: Reply, options: GradingOptions) => Promise<CaseGrade>;

/** Grades replies to a case without faults. Its graders are prepared with the first reply, which pays for that. */
export function prepareCase(suiteCase: SuiteCase): GradeReply {
  let graders: readonly PreparedGrader[] | null = null;
  return async (reply, { judge, work = new WorkBudget(maxReplyWork) }) => {
    if (reply.text.length > maxReplyCharacters) return tooLong(reply.text.length);
    try {
      graders ??= prepareGraders(suiteCase, work);
      return await gradeWith(graders, suiteCase.pass_at ?? 1, reply, { judge, work });
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
  readonly required: boolean;
  readonly grade: Grade;
}

function prepareGraders({ expect }: SuiteCase, work: WorkBudget): readonly PreparedGrader[] {
  return expect.map((spec) => ({
    name: graderName(spec),
    required: spec['required'] === true,
    grade: prepareGrader(spec, work),
  }));
}

async function gradeWith(
  prepared: readonly PreparedGrader[],
  passAt: number,
  reply: Reply,
  context: GradeContext,
): Promise<CaseGrade> {
  const graders: GraderResult[] = [];
  let sum = 0;
  let failedRequired = false;
  for (const { name, required, grade } of prepared) {
    const judged = await grade(reply, context);
    if ('ungraded' in judged) return judged;
    const { share, expected, found } = judged;
    graders.push({ name, passed: share >= 1, expected, found });
    sum += share;
    failedRequired ||= required && share < 1;
  }
  const share = failedRequired ? 0 : sum / prepared.length;
  // Sums of shares are rounded: three graders of 1/3, 2/3 and 1 pass at 2/3.
  return { passed: share >= passAt - 1e-9, share, graders };
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
