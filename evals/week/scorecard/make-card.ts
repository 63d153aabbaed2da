/** The scorecard of a completed agent run, as in its JSON form. */
import { figuresOf, type RunVerdict, type WeekFigures } from '../figures.ts';
import type { ErrorResponse } from '../../stored-item.ts';
import type { Missed } from '../grade.ts';

export interface CardCall {
  readonly tool: string;
  readonly args: unknown;
  readonly result: Readonly<Record<string, unknown>>;
  /** From the fetch of the task or the previous call to this one. */
  readonly ms: number;
}

export interface CardTask extends Omit<RunVerdict, 'calls'> {
  /** The week of the task, from 1, in a run that repeats its week. */
  readonly trial: number;
  /** In push mode, the failure of the target that ended the task. */
  readonly error: string | null;
  /** What the target sent instead of a usable reply. */
  readonly error_response: ErrorResponse | null;
  /** Empty after the retention period of calls. */
  readonly missed: readonly Missed[];
  readonly calls: readonly CardCall[];
}

export interface AgentRunCard extends WeekFigures {
  readonly tasks: readonly CardTask[];
}

/** The stored verdict on a task. */
export interface StoredVerdict extends RunVerdict {
  /** In push mode, why the target's reply could not be used, which ended the task. */
  readonly error?: string;
}

interface StoredTask {
  readonly n: number;
  readonly handedOutAt: Date;
  readonly missed: readonly Missed[];
  readonly error_response: ErrorResponse | null;
}

/** A call as it is stored. */
interface StoredCall extends Omit<CardCall, 'ms'> {
  readonly n: number;
  readonly madeAt: Date;
}

export interface CardInput {
  readonly verdicts: readonly StoredVerdict[];
  /** The number of tasks in a week. */
  readonly weekTasks: number;
  readonly tasks: readonly StoredTask[];
  /** In the order in which they were made. */
  readonly calls: readonly StoredCall[];
}

export function makeCard({ verdicts, weekTasks, tasks, calls }: CardInput): AgentRunCard {
  const callsOf = Map.groupBy(calls, ({ n }) => n);
  return {
    ...figuresOf(verdicts, weekTasks),
    tasks: verdicts.map((found) => {
      const { calls: _, error = null, ...verdict } = found;
      const task = tasks.find(({ n }) => n === verdict.n);
      let before = task?.handedOutAt ?? null;
      return {
        ...verdict,
        trial: Math.ceil(verdict.n / weekTasks),
        error,
        error_response: task?.error_response ?? null,
        missed: task?.missed ?? [],
        calls: (callsOf.get(verdict.n) ?? []).map(({ tool, args, result, madeAt }) => {
          const ms = Math.max(0, madeAt.getTime() - (before ?? madeAt).getTime());
          before = madeAt;
          return { tool, args, result, ms };
        }),
      };
    }),
  };
}
