/** How replies are graded: in the place for such work, or inline where no other request waits. */
import type { Reply, SuiteCase } from '#evals/own-suite/document.ts';
import { type CaseGrade, prepareCase } from '#evals/own-suite/grade-reply.ts';
import type { Ungraded, Verdict } from '#evals/own-suite/graders/grader.ts';
import { placeMemoryMb } from '#runtime/place/work-place.ts';
import type { Claimant } from '#runtime/turns/turn-order.ts';
import type { Ctx } from '../../context.ts';
import { type CheckedGrade, type CheckedReply, gradeChecked, noJudges } from './grade-checked.ts';
import type { JudgeRequest } from './judges.ts';
import { type PractisedReply, practise, type PractiseInput } from './practise.ts';

export interface Graders {
  /** @throws DomainError grading_busy */
  gradeCase(claimant: Claimant, asked: CheckedReply): Promise<CheckedGrade>;
  /** Asks a judge of a suite. Not for the place: it calls a webhook. */
  judge(ctx: Pick<Ctx, 'db'>, request: JudgeRequest): Promise<Verdict | Ungraded>;
  /** @throws DomainError grading_busy */
  gradeOwnCase(claimant: Claimant, asked: OwnCaseReply): Promise<CaseGrade>;
  /** @throws DomainError grading_busy, and those of `practise` */
  practise(claimant: Claimant, input: PractiseInput): Promise<PractisedReply>;
}

/** A reply to a case of a published suite. */
export interface OwnCaseReply {
  readonly suiteCase: SuiteCase;
  readonly reply: Reply;
  /** What the judges of the case say about the reply, by their webhook. */
  readonly judgements?: Readonly<Record<string, Verdict | Ungraded>>;
}

/** Of processor time, so that a busy machine changes no verdict. Much longer than any honest grader takes. */
const ownGradingMsMax = 100;

export async function gradeOwnReply({ suiteCase, reply, judgements = {} }: OwnCaseReply): Promise<CaseGrade> {
  const grade = prepareCase(suiteCase);
  const judge = (webhook: string) =>
    Promise.resolve(judgements[webhook] ?? { ungraded: `The judge ${webhook} was not asked.` });
  const before = process.threadCpuUsage();
  const graded = await grade(reply, { judge });
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000 <= ownGradingMsMax ? graded : ownGradingTooLong;
}

export const ownGradingTooLong = {
  ungraded: `Grading the reply took longer than ${ownGradingMsMax} ms.`,
  exhausted: 'time',
} as const satisfies CaseGrade;

export const ownGradingTooLarge = {
  ungraded: `Grading the reply needed more than ${placeMemoryMb} MB of memory.`,
  exhausted: 'memory',
} as const satisfies CaseGrade;

/** For programs that serve no other requests. */
export const gradersInPlace: Graders = {
  gradeCase: (_claimant, asked) => gradeChecked(asked),
  judge: () => Promise.resolve(noJudges),
  gradeOwnCase: (_claimant, asked) => gradeOwnReply(asked),
  practise: (_claimant, input) => practise(input),
};
