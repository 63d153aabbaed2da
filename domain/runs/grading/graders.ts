/** How replies are graded: in the place for such work, or inline where no other request waits. */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { Reply, SuiteCase } from '#evals/own-suite/document.ts';
import { type CaseGrade, prepareCase } from '#evals/own-suite/grade-reply.ts';
import type { Ungraded, Verdict } from '#evals/own-suite/graders/grader.ts';
import type { PlannedCase } from '#evals/suite/plan-run.ts';
import type { Task, TaskGrade } from '#evals/suite/task.ts';
import { placeMemoryMb } from '#runtime/place/work-place.ts';
import type { Claimant } from '#runtime/turns/turn-order.ts';
import type { Ctx } from '../../context.ts';
import type { JudgeRequest } from './judges.ts';
import { type PractisedReply, practise, type PractiseInput } from './practise.ts';

/** From this and the suite, a case of a run can be made anywhere. */
export interface CaseKey extends Pick<RunRow, 'suiteSeed' | 'runSize' | 'maxPromptTokens' | 'repeat'> {
  readonly runId: string;
}

export interface AskedCase {
  readonly key: CaseKey;
  readonly planned: PlannedCase;
  /** To the turns so far. */
  readonly replies: readonly string[];
}

export interface TaskSource {
  readonly task: () => Task;
  /** Whether `task` returns one that exists. Making one takes up to 50 ms. */
  readonly isMade: boolean;
}

export interface Graders {
  /**
   * @returns null while the case has further turns
   * @throws DomainError grading_busy
   */
  gradeCase(claimant: Claimant, asked: AskedCase & TaskSource): Promise<TaskGrade | null>;
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

export function gradeTurns(task: Task, replies: readonly string[]): TaskGrade | null {
  return replies.length < task.turns.length ? null : task.grade(replies);
}

export const noJudges: Ungraded = { ungraded: 'This program asks no judges.' };

/** For programs that serve no other requests. */
export const gradersInPlace: Graders = {
  gradeCase: (_claimant, { task, replies }) => Promise.resolve(gradeTurns(task(), replies)),
  judge: () => Promise.resolve(noJudges),
  gradeOwnCase: (_claimant, asked) => gradeOwnReply(asked),
  practise: (_claimant, input) => Promise.try(practise, input),
};
