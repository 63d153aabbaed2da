/** Where replies are graded: in the place for such work, or inline where no other request waits. */
import type { Ungraded, Verdict } from '#evals/own-suite/graders/grader.ts';
import { TaskTooLargeError, TaskTooLongError } from '#runtime/place/child-program.ts';
import type { Claimant } from '#runtime/turns/turns.ts';
import type { Ctx } from '../../context.ts';
import type { Place } from '../../place/open-place.ts';
import { type Graded, gradeReply, type GradingTask, tookTooLong, tookTooMuchMemory } from './grade-reply.ts';
import type { JudgeRequest, Judges } from './judges.ts';

export interface Graders {
  /** @throws DomainError busy */
  grade(claimant: Claimant, task: GradingTask): Promise<Graded>;
  /** Asks a judge of a suite. Not for the place: it calls a webhook. */
  judge(ctx: Pick<Ctx, 'db'>, request: JudgeRequest): Promise<Verdict | Ungraded>;
}

const noJudges: Ungraded = { ungraded: 'This program asks no judges.' };

/** For programs that serve no other requests. */
export const gradersInPlace: Graders = {
  grade: (_claimant, task) => gradeReply(task),
  judge: () => Promise.resolve(noJudges),
};

/** Grading takes a few milliseconds, and 0.1 s for the longest hostile replies. */
const replySize = { cpuMs: 2_000 } as const;

/** For programs without requests: no hostile reply of this length took more than 12 ms of processor time. */
export const shortReplyMax = 4_000;

export interface PlaceGradersOptions {
  readonly place: Pick<Place, 'grade'>;
  /**
   * Replies to cases of the hub with up to this many characters are graded without the place; 0 in a program whose other
   * requests must not wait.
   */
  readonly inlineMax: number;
  /** Null in a program that asks no judges. */
  readonly judges: Judges | null;
}

/** So that no text delays or ends anything else, whatever it takes. */
export function createPlaceGraders({ place, inlineMax, judges }: PlaceGradersOptions): Graders {
  return {
    grade: async (claimant, task) => {
      const isOfHub = task.findsChanges === true;
      if (isOfHub && task.reply.text.length <= inlineMax) return gradeReply(task);
      try {
        return await place.grade(claimant, task, replySize);
      } catch (error) {
        if (error instanceof TaskTooLongError) return tookTooLong;
        if (error instanceof TaskTooLargeError) return tookTooMuchMemory;
        throw error;
      }
    },
    judge: (ctx, request) => (judges === null ? Promise.resolve(noJudges) : judges.ask(ctx, request)),
  };
}
