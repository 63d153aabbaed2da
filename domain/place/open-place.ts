/** The place of a process of the hub for work of strangers: the check and the import of suites, and grading. */
import { childCommand } from '#runtime/place/child-program.ts';
import { PlaceBusyError, WorkPlace, type WorkSize } from '#runtime/place/work-place.ts';
import type { Claimant } from '#runtime/turns/turns.ts';
import { DomainError } from '../errors.ts';
import type { Graded, GradingTask } from '../runs/grading/grade-reply.ts';
import type { CheckAnswer, CheckTask } from '../suites/perform-check.ts';

export interface RepliesTask {
  readonly kind: 'replies';
  readonly replies: readonly GradingTask[];
}

export type PlaceResult = CheckAnswer | readonly Graded[];

export interface Place {
  /**
   * @param claimant whose turn the work takes
   * @throws TaskTooLongError, TaskTooLargeError, DomainError busy
   */
  check<Task extends CheckTask>(claimant: Claimant, task: Task, size: WorkSize): Promise<CheckAnswer<Task>>;
  /**
   * @param readReplies called when their turn has come, and again if the work begins again
   * @throws as `check`
   */
  grade(
    claimant: Claimant,
    readReplies: () => readonly GradingTask[],
    size: WorkSize,
  ): Promise<readonly Graded[]>;
  close(): void;
}

export interface PlaceOptions {
  /** How much work may wait for each process. */
  readonly waitingMax: { readonly ofAgent: number; readonly all: number };
}

const retryAfterSeconds = 2;

/** The processes start with the first work. */
export function openPlace({ waitingMax }: PlaceOptions): Place {
  const place = new WorkPlace<CheckTask | RepliesTask, PlaceResult>({
    command: childCommand('place'),
    waitingMax,
  });
  const run: typeof place.run = (...asked) => place.run(...asked).catch(refuse);
  return {
    // The program returns the result of its task.
    check: async <Task extends CheckTask>(claimant: Claimant, task: Task, size: WorkSize) =>
      (await run(claimant, () => task, size)) as CheckAnswer<Task>,
    grade: async (claimant, readReplies, size) =>
      (await run(claimant, () => ({ kind: 'replies', replies: readReplies() }), size)) as readonly Graded[],
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
