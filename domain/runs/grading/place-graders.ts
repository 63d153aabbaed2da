/** Grades replies in the place, so that no text delays or ends anything else, whatever it takes. */
import { TaskTooLargeError, TaskTooLongError } from '#runtime/place/child-program.ts';
import type { Claimant } from '#runtime/turns/turn-order.ts';
import { DomainError } from '../../errors.ts';
import type { Place } from '../../place/open-place.ts';
import type { Judges } from './judges.ts';
import { noJudges, tooMuch } from './grade-checked.ts';
import { type Graders, gradersInPlace, ownGradingTooLarge, ownGradingTooLong } from './graders.ts';
import type { Graded, GradingTask } from './perform-grading.ts';

/** Grading takes a few milliseconds, and 0.1 s for the longest hostile replies. A grader of a suite counts as too slow long before. */
const replySize = { cpuMs: 2_000 } as const;

/** For programs without requests: no hostile reply of this length took more than 12 ms of processor time. */
export const shortReplyMax = 4_000;

export interface PlaceGradersOptions {
  readonly place: Pick<Place, 'grade'>;
  /**
   * Replies to cases of the hub with up to this many characters are graded without the place; -1 in a program whose other
   * requests must not wait.
   */
  readonly inPlaceMax: number;
  /** Null in a program that asks no judges. */
  readonly judges: Judges | null;
}

export function createPlaceGraders({ place, inPlaceMax, judges }: PlaceGradersOptions): Graders {
  /** @param exhausted the result of a task that ran out of time or memory */
  const grade = async (
    claimant: Claimant,
    task: GradingTask,
    exhausted: (what: 'time' | 'memory') => Graded,
  ): Promise<Graded> => {
    try {
      return await place.grade(claimant, task, replySize);
    } catch (error) {
      if (error instanceof TaskTooLongError) return exhausted('time');
      if (error instanceof TaskTooLargeError) return exhausted('memory');
      throw error;
    }
  };
  return {
    gradeCase: async (claimant, asked) => {
      if (asked.text.length <= inPlaceMax) return gradersInPlace.gradeCase(claimant, asked);
      const graded = await grade(claimant, { kind: 'case', asked }, () => ({
        kind: 'case',
        graded: tookTooLong,
      }));
      if (graded.kind !== 'case') throw new Error(`The place returned ${graded.kind}.`);
      return graded.graded;
    },
    judge: (ctx, request) => (judges === null ? Promise.resolve(noJudges) : judges.ask(ctx, request)),
    gradeOwnCase: async (claimant, asked) => {
      const graded = await grade(claimant, { kind: 'own_case', asked }, (what) => ({
        kind: 'own_case',
        graded: what === 'time' ? ownGradingTooLong : ownGradingTooLarge,
      }));
      if (graded.kind !== 'own_case') throw new Error(`The place returned ${graded.kind}.`);
      return graded.graded;
    },
    practise: async (claimant, input) => {
      const graded = await grade(claimant, { kind: 'practice', input }, () => ({
        kind: 'practice',
        practised: { ...tookTooLong, changes: [] },
      }));
      if (graded.kind === 'refused') throw new DomainError(graded.code, graded.message, graded.extras);
      if (graded.kind !== 'practice') throw new Error(`The place returned ${graded.kind}.`);
      return graded.practised;
    },
  };
}

/** The verdict on a reply that cannot be graded in time. */
const tookTooLong = tooMuch(`grading took longer than ${replySize.cpuMs / 1_000} seconds`);
