/** Grades replies in the place for work of strangers. Replies of one agent that come at the same time go together. */
import { TaskTooLargeError, TaskTooLongError } from '#runtime/place/child-program.ts';
import type { Claimant } from '#runtime/turns/turns.ts';
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
import type { Place } from './open-place.ts';

/** Grading takes a few milliseconds, and 0.1 s for the longest hostile replies. */
const replySize = { cpuMs: 2_000 } as const;

/** For programs without requests: no hostile reply of this length took more than 12 ms of processor time. */
export const shortReplyMax = 4_000;

/** So many short replies still take no longer than quick work may; a longer reply goes alone. */
const togetherMax = 8;

export interface PlaceGradersOptions {
  readonly place: Pick<Place, 'grade'>;
  /**
   * Replies of up to this many characters to cases of the hub are graded without the place; 0 in a program whose other
   * requests must not wait.
   */
  readonly inlineMax: number;
  /** Null in a program that asks no judges. */
  readonly judges: Judges | null;
}

interface WaitingReply {
  readonly task: GradingTask;
  readonly graded: PromiseWithResolvers<Graded>;
}

/** So that no text delays or ends anything else, whatever it takes. */
export function createPlaceGraders({ place, inlineMax, judges }: PlaceGradersOptions): Graders {
  /** By agent: short replies that still wait for their turn, which further ones of the agent may join. */
  const joinable = new Map<string, WaitingReply[]>();

  async function gradeTogether(claimant: Claimant, replies: readonly WaitingReply[]): Promise<void> {
    const { agentId } = claimant;
    let isBegun = false;
    const closeToOthers = (): void => {
      if (joinable.get(agentId) === replies) joinable.delete(agentId);
    };
    const begin = (): readonly GradingTask[] => {
      isBegun = true;
      closeToOthers();
      return replies.map(({ task }) => task);
    };
    try {
      const results = await place.grade(claimant, begin, replySize);
      for (const [at, { graded }] of replies.entries()) {
        const result = results[at];
        if (result === undefined) throw new Error('Each reply has a result.');
        graded.resolve(result);
      }
    } catch (error) {
      closeToOthers();
      const isTooLong = error instanceof TaskTooLongError;
      const isTooMuch = isTooLong || error instanceof TaskTooLargeError;
      // One of them may be to blame, and the others need their grades.
      if (isBegun && replies.length > 1)
        await Promise.all(replies.map((reply) => gradeTogether(claimant, [reply])));
      else
        for (const { graded } of replies)
          if (isTooMuch) graded.resolve(isTooLong ? tookTooLong : tookTooMuchMemory);
          else graded.reject(error);
    }
  }

  function gradeInPlace(claimant: Claimant, task: GradingTask): Promise<Graded> {
    const reply: WaitingReply = { task, graded: Promise.withResolvers<Graded>() };
    const joined = isLong(task) ? undefined : joinable.get(claimant.agentId);
    if (joined !== undefined && joined.length < togetherMax) joined.push(reply);
    else {
      const replies = [reply];
      if (!isLong(task)) joinable.set(claimant.agentId, replies);
      // So that others that come at the same time can join.
      setImmediate(() => void gradeTogether(claimant, replies));
    }
    return reply.graded.promise;
  }

  return {
    grade: (claimant, task) =>
      task.isOfHub === true && task.reply.text.length <= inlineMax
        ? gradeReply(task)
        : gradeInPlace(claimant, task),
    judge: (ctx, request) => (judges === null ? Promise.resolve(noJudges) : judges.ask(ctx, request)),
  };
}

function isLong({ reply }: GradingTask): boolean {
  return reply.text.length > shortReplyMax || reply.tool_calls.length > 0 || reply.turns !== undefined;
}
