/** The place of a process of the hub for work of strangers: the check and the import of suites, and grading. */
import { childCommand, TaskTooLargeError, TaskTooLongError } from '#runtime/place/child-program.ts';
import { PlaceBusyError, WorkPlace, type WorkSize } from '#runtime/place/work-place.ts';
import type { Claimant } from '#runtime/turns/turns.ts';
import { DomainError } from '../errors.ts';
import {
  type Graded,
  type Graders,
  gradeReply,
  type GradingTask,
  noJudges,
  tookTooLong,
  tookTooMuchMemory,
} from '../runs/grading/grade-reply.ts';
import type { Judges } from '../runs/grading/judges.ts';
import type { CheckAnswer, CheckTask } from '../suites/perform-check.ts';

export type PlaceResult = CheckAnswer | Graded;

export interface Place {
  /**
   * @param claimant whose turn the work takes
   * @throws TaskTooLongError, TaskTooLargeError, DomainError busy
   */
  check<Task extends CheckTask>(claimant: Claimant, task: Task, size: WorkSize): Promise<CheckAnswer<Task>>;
  /** @throws as `check` */
  grade(claimant: Claimant, task: GradingTask, size: WorkSize): Promise<Graded>;
  close(): void;
}

export interface PlaceOptions {
  /** How much work may wait for each process. */
  readonly waitingMax: { readonly ofAgent: number; readonly all: number };
}

const retryAfterSeconds = 2;

/** The processes start with the first work. */
export function openPlace({ waitingMax }: PlaceOptions): Place {
  const place = new WorkPlace<CheckTask | GradingTask, PlaceResult>({
    command: childCommand('place'),
    waitingMax,
  });
  const run: typeof place.run = (...asked) => place.run(...asked).catch(refuse);
  return {
    // The program returns the result of its task.
    check: async <Task extends CheckTask>(...asked: readonly [Claimant, Task, WorkSize]) =>
      (await run(...asked)) as CheckAnswer<Task>,
    grade: async (...asked) => (await run(...asked)) as Graded,
    close: () => place.close(),
  };
}

function refuse(error: unknown): never {
  if (!(error instanceof PlaceBusyError)) throw error;
  throw new DomainError('busy', 'Too many suites and replies are waiting to be checked.', {
    hint: 'Send one suite, or few replies, at a time, and repeat this request.',
    retryAfterSeconds,
    cause: error,
  });
}

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
