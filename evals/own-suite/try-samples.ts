/** Grades the `accepted` and `refused` replies that the cases of a suite list. */
import type { Fixed } from '#runtime/json-reader.ts';
import { nullable } from '#runtime/schema-parts.ts';
import { type Static, Type } from 'typebox';
import type { SuiteCase } from './document.ts';
import type { Fault } from './fault.ts';
import { type GradeReply, GraderResult, prepareCase, sampleAsReply } from './grade-reply.ts';
import { maxDocumentWork, maxReplyWork } from './limits.ts';
import { turnOf } from './turns.ts';
import { WorkBudget } from './work-budget.ts';

/** The verdict on one of `accepted` or `refused`. */
export const SampleResult = Type.Object(
  {
    case_id: Type.String(),
    list: Type.Enum(['accepted', 'refused'], { type: 'string' }),
    index: Type.Integer(),
    passed: nullable(Type.Boolean({ description: 'Null if a judge decides, which is not called here.' })),
    share: nullable(Type.Number()),
    graders: Type.Array(GraderResult),
  },
  { additionalProperties: false },
);
export type SampleResult = Fixed<Static<typeof SampleResult>>;

/**
 * @param cases cases without a fault, by their index in the document
 * @param work what all samples together may cost
 * @returns the result of each sample, and a fault for each that contradicts its list
 */
export async function trySamples(
  cases: Iterable<readonly [index: number, SuiteCase]>,
  work = new WorkBudget(maxDocumentWork),
): Promise<{ readonly replies: readonly SampleResult[]; readonly faults: readonly Fault[] }> {
  const replies: SampleResult[] = [];
  const faults: Fault[] = [];
  for (const [at, suiteCase] of cases) {
    const lists = (['accepted', 'refused'] as const).filter((list) => (suiteCase[list]?.length ?? 0) > 0);
    if (lists.length === 0) continue;
    const prepared = new Map<number | null, GradeReply>();
    const gradeOf = (turn: number | null) => {
      const known = prepared.get(turn);
      if (known !== undefined) return known;
      const expect = suiteCase.expect
        .filter((spec) => turnOf(spec) === turn)
        .map(({ turn: _turn, ...spec }) => spec);
      const made = prepareCase({ ...suiteCase, expect });
      prepared.set(turn, made);
      return made;
    };
    for (const list of lists) {
      for (const [index, sample] of (suiteCase[list] ?? []).entries()) {
        const part = new WorkBudget(maxReplyWork, work);
        const graded = await gradeOf(turnOf(sample))(sampleAsReply(sample), { judge: null, work: part });
        const path = ['cases', at, list, index];
        if (work.isSpent) {
          faults.push({ path, message: tooMuchInAll });
          return { replies, faults };
        }
        if ('ungraded' in graded && graded.exhausted !== undefined)
          faults.push({ path, message: `${placeOf(suiteCase.id, list, index)}: ${graded.ungraded}` });
        const result = 'ungraded' in graded ? { passed: null, share: null, graders: [] } : graded;
        replies.push({ case_id: suiteCase.id, list, index, ...result });
        if (result.passed === null || result.passed === (list === 'accepted')) continue;
        faults.push({ path, message: explain(suiteCase.id, list, index, result) });
      }
    }
  }
  return { replies, faults };
}

interface Asked {
  readonly prompt?: string | undefined;
  readonly messages?: readonly { readonly content: string }[] | undefined;
  readonly turns?: readonly string[] | undefined;
}

/** What a case asks last. */
export function echoOf({ prompt, messages, turns }: Asked): string {
  return prompt ?? messages?.at(-1)?.content ?? turns?.at(-1) ?? '';
}

/** Whether an agent that always replies with this text passes a case. Judges are assumed not to accept it. */
export async function passesText(
  suiteCase: Pick<SuiteCase, 'expect' | 'pass_at' | 'turns'>,
  text: string,
  whole: WorkBudget,
): Promise<boolean> {
  const reply = { ...sampleAsReply(text), costUsd: 0 };
  const turns = suiteCase.turns?.map(() => reply);
  const graded = await prepareCase({ id: '', ...suiteCase })(
    turns === undefined ? reply : { ...reply, turns },
    {
      judge: null,
      leavesJudges: true,
      work: new WorkBudget(maxReplyWork, whole),
    },
  );
  return 'passed' in graded ? graded.passed : graded.exhausted !== undefined;
}

const tooMuchInAll = `Grading the sample replies up to here takes more than ${maxDocumentWork} steps. Use fewer sample replies and simpler graders.`;

function placeOf(id: string, list: 'accepted' | 'refused', index: number): string {
  return `${list}[${index}] of case ${JSON.stringify(id)}`;
}

function explain(
  id: string,
  list: 'accepted' | 'refused',
  index: number,
  { graders }: { graders: readonly GraderResult[] },
): string {
  const place = placeOf(id, list, index);
  if (list === 'refused') return `${place} must not pass, but does.`;
  const failed = graders.find(({ passed }) => passed === false);
  return `${place} must pass, but ${failed?.name ?? 'it'} expected ${failed?.expected ?? 'more'} and found ${failed?.found ?? 'less'}.`;
}
