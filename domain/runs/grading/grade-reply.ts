/** Grades a reply to a case, and finds out what has changed one that fails. The place for such work does it. */
import { findUndone } from '#evals/findings/undo.ts';
import type { Reply, SuiteCase } from '#evals/own-suite/document.ts';
import { type CaseGrade, prepareCase } from '#evals/own-suite/grade-reply.ts';
import type { Ungraded, Verdict } from '#evals/own-suite/graders/grader.ts';
import { placeMemoryMb } from '#runtime/place/work-place.ts';
import type { Claimant } from '#runtime/turns/turns.ts';
import type { Ctx } from '../../context.ts';
import type { JudgeRequest } from './judges.ts';

export interface GradingTask {
  readonly suiteCase: Pick<SuiteCase, 'id' | 'expect' | 'pass_at' | 'turns'>;
  readonly reply: Reply;
  /** What the judges of the case say about the reply, by their webhook. */
  readonly judgements?: Readonly<Record<string, Verdict | Ungraded>>;
  /** Whether to find out what has changed a reply that fails, which grades it again for each change. */
  readonly findsChanges?: true;
  /** Whether the case is the hub's own, with graders that are known to be quick. */
  readonly isOfHub?: true;
}

export interface Graded {
  readonly grade: CaseGrade;
  /** The changes without which a failed reply passes, by name. */
  readonly undone: readonly string[];
}

/** Of processor time, so that a busy machine changes no verdict. Much longer than any honest grader takes. */
const gradingMsMax = 100;
/** Longer replies are graded once only. */
const changedCharactersMax = 10_000;

export async function gradeReply({
  suiteCase,
  reply,
  judgements = {},
  findsChanges,
}: GradingTask): Promise<Graded> {
  const prepared = prepareCase(suiteCase);
  const judge = (webhook: string) =>
    Promise.resolve(judgements[webhook] ?? { ungraded: `The judge ${webhook} was not asked.` });
  const before = process.threadCpuUsage();
  const grade = await prepared(reply, { judge, leavesJudges: true });
  const isOver = () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000 > gradingMsMax;
  };
  if (isOver()) return tookTooLong;
  const isLong = reply.text.length > changedCharactersMax;
  const isOpen = 'ungraded' in grade || grade.graders.some(({ passed }) => passed === null);
  if (findsChanges !== true || isLong || isOpen || grade.passed) return { grade, undone: [] };
  const passes = async (text: string) => {
    if (isOver()) return false;
    const graded = await prepared({ ...reply, text }, { judge });
    return 'passed' in graded && graded.passed;
  };
  return { grade, undone: await findUndone(reply.text, passes) };
}

export const tookTooLong: Graded = {
  grade: { ungraded: `Grading the reply took longer than ${gradingMsMax} ms.`, exhausted: 'time' },
  undone: [],
};

export const tookTooMuchMemory: Graded = {
  grade: {
    ungraded: `Grading the reply needed more than ${placeMemoryMb} MB of memory.`,
    exhausted: 'memory',
  },
  undone: [],
};

/** Where replies are graded: in the place for such work, or here. */
export interface Graders {
  /** @throws DomainError busy */
  grade(claimant: Claimant, task: GradingTask): Promise<Graded>;
  /** Asks a judge of a suite. Not for the place: it calls a webhook. */
  judge(ctx: Pick<Ctx, 'db'>, request: JudgeRequest): Promise<Verdict | Ungraded>;
}

export const noJudges: Ungraded = { ungraded: 'This program asks no judges.' };

/** For programs that serve no other requests. */
export const gradersInPlace: Graders = {
  grade: (_claimant, task) => gradeReply(task),
  judge: () => Promise.resolve(noJudges),
};
