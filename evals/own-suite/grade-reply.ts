/** Grades the replies to a case. */
import type { Reply, SampleReply, SuiteCase } from './document.ts';
import type { GradeContext, Ungraded } from './graders/grader.ts';
import { graderName, prepareGrader } from './graders/registry.ts';
import { maxReplyCharacters } from './limits.ts';

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

export type GradeReply = (reply: Reply, context: GradeContext) => Promise<CaseGrade>;

/** Prepares the graders of a case without faults, for any number of replies. */
export function prepareCase({ expect, pass_at: passAt = 1 }: SuiteCase): GradeReply {
  const prepared = expect.map((spec) => ({
    name: graderName(spec),
    required: spec['required'] === true,
    grade: prepareGrader(spec),
  }));
  return async (reply, context) => {
    if (reply.text.length > maxReplyCharacters) return tooLong(reply.text.length);
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
  };
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
