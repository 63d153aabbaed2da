/** Grades replies in a thread, so that no text delays other requests, however long it takes. */
import { TaskTooLongError, ThreadBusyError, threadProgram, WorkThread } from '#runtime/work-thread.ts';
import { DomainError } from '../../errors.ts';
import type { TaskGrade } from '#evals/suite/task.ts';
import { practiceCaseOf } from './practise.ts';
import type { Judges } from './judges.ts';
import { type AskedCase, type Graders, gradersInPlace, noJudges, ownGradingTooLong } from './graders.ts';
import type { Graded, GradingTask, ThreadData } from './grading-program.ts';

/** Grading takes a few milliseconds, and 0.1 s for the longest hostile replies. A grader of a suite counts as too slow long before. */
const taskMs = 2_000;
const retryAfterSeconds = 2;

/** For programs without requests: no hostile reply of this length took more than 12 ms of processor time. */
export const shortReplyMax = 4_000;

export interface GradingThreadOptions {
  /** See EVAL_PACKS_DIR. */
  readonly packsFolder: string;
  /** Replies that may wait at the same time. */
  readonly waitingMax: { readonly ofAgent: number; readonly all: number };
  /**
   * Replies up to this many characters are graded without the thread if their task is at hand; 0 in a program whose other
   * requests must not wait.
   */
  readonly inPlaceMax: number;
  /** Null in a program that asks no judges. They are closed with the thread. */
  readonly judges: Judges | null;
}

export interface GradingThread extends Graders {
  close(): void;
}

/** The thread starts with the first reply. */
export function createGradingThread({
  packsFolder,
  waitingMax,
  inPlaceMax,
  judges,
}: GradingThreadOptions): GradingThread {
  const data: ThreadData = { packsFolder };
  const program = threadProgram('domain', 'runs', 'grading', 'grading-program');
  const options = { program, data, taskMs, waitingMax };
  const thread = new WorkThread<GradingTask, Graded>(options);
  // The graders of suites, which anybody may publish, never delay those of the hub.
  const ownThread = new WorkThread<GradingTask, Graded>(options);
  return {
    gradeCase: async (agentId, asked) => {
      const { task: _inPlace, isMade, ...sent } = asked;
      // The thread would make the task again, which takes much longer than grading a short reply.
      if (isMade && isHarmless(asked, inPlaceMax)) return gradersInPlace.gradeCase(agentId, asked);
      const graded = await runOr(
        () => thread.run(agentId, { kind: 'case', ...sent }),
        () => ({ kind: 'case', grade: tookTooLong }),
      );
      if (graded.kind === 'case') return graded.grade;
      // The pack's files have changed since this process loaded them.
      return gradersInPlace.gradeCase(agentId, asked);
    },
    judge: (ctx, request) => (judges === null ? Promise.resolve(noJudges) : judges.ask(ctx, request)),
    gradeOwnCase: async (agentId, asked) => {
      const graded = await runOr(
        () => ownThread.run(agentId, { kind: 'own_case', asked }),
        () => ({ kind: 'own_case', graded: ownGradingTooLong }),
      );
      if (graded.kind !== 'own_case') throw new Error(`The grading thread returned ${graded.kind}.`);
      return graded.graded;
    },
    practise: async (agentId, input) => {
      const graded = await runOr(
        () => thread.run(agentId, { kind: 'practice', input }),
        () => {
          const { expected } = practiceCaseOf(input.caseId).task;
          return { kind: 'practice', practised: { grade: tookTooLong, expected } } as const;
        },
      );
      if (graded.kind === 'refused') throw new DomainError(graded.code, graded.message, graded.extras);
      if (graded.kind !== 'practice') throw new Error(`The grading thread returned ${graded.kind}.`);
      return graded.practised;
    },
    close: () => {
      thread.close();
      ownThread.close();
      judges?.close();
    },
  };
}

/** The code of private packs, which may be slow or never end, stays in the thread. */
function isHarmless({ key, replies }: AskedCase, charactersMax: number): boolean {
  const characters = replies.reduce((total, { length }) => total + length, 0);
  return key.packHash === null && characters <= charactersMax;
}

/** The verdict on a reply that cannot be graded in time. */
const tookTooLong: TaskGrade = {
  score: 0,
  passed: false,
  found: null,
  checks: [
    {
      name: 'grading-time',
      passed: false,
      message: `Grading the reply took longer than ${taskMs / 1_000} seconds, so it counts as wrong.`,
    },
  ],
};

async function runOr(run: () => Promise<Graded>, otherwise: () => Graded): Promise<Graded> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof TaskTooLongError) return otherwise();
    if (!(error instanceof ThreadBusyError)) throw error;
    throw new DomainError('grading_busy', 'Too many replies are waiting to be graded.', {
      hint: 'Send fewer replies at a time, and repeat this request.',
      retryAfterSeconds,
      cause: error,
    });
  }
}
