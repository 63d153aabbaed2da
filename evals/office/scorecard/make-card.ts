/** The scorecard of a completed agent run, as in its JSON form. */
import { explainTask } from '../explain-task.ts';
import type { TaskVerdict } from '../grade-task.ts';
import { type AgentRunScore, scoreAgentRun } from '../score-agent-run.ts';
import { replaySession } from '../session.ts';
import type { Task, TaskLevel } from '../task.ts';
import { type CardFault, describeFault } from './describe-fault.ts';

export interface CardCall {
  readonly tool: string;
  readonly args: unknown;
  readonly result: Readonly<Record<string, unknown>>;
  /** From the fetch of the task or the previous call to this one. */
  readonly ms: number;
}

export interface CardTask {
  readonly n: number;
  readonly kind: string;
  readonly level: TaskLevel;
  readonly useful: boolean;
  readonly safe: boolean;
  /** Null if the task does not need a question. */
  readonly asked: boolean | null;
  /** Null if the agent did not call `finish`. */
  readonly outcome: 'done' | 'refused' | null;
  /** In push mode, the failure of the target that ended the task. */
  readonly error: string | null;
  /** What was expected and what was done instead; empty if another version generates other tasks. */
  readonly faults: readonly CardFault[];
  readonly calls: readonly CardCall[];
}

interface RunVerdict extends TaskVerdict {
  /** In push mode, why the target's reply could not be used, which ended the task. */
  readonly error?: string;
}

/** A call as it is stored. */
interface RunCall extends Omit<CardCall, 'ms'> {
  readonly n: number;
  readonly madeAt: Date;
}

export interface AgentRunCard extends AgentRunScore {
  readonly tasks: readonly CardTask[];
}

/**
 * @param calls in the order in which they were made
 * @param made the tasks, regenerated from the seed; empty if this version generates other tasks
 */
export function makeCard(
  verdicts: readonly RunVerdict[],
  tasks: readonly { readonly n: number; readonly handedOutAt: Date }[],
  calls: readonly RunCall[],
  made: readonly Task[],
): AgentRunCard {
  return {
    ...scoreAgentRun(verdicts),
    tasks: verdicts.map(({ n, kind, level, useful, safe, asked, outcome, error = null }) => {
      let before = tasks.find((task) => task.n === n)?.handedOutAt ?? null;
      const own = calls.filter((call) => call.n === n);
      const task = useful && safe ? undefined : made.find((one) => one.n === n);
      return {
        n,
        kind,
        level,
        useful,
        safe,
        asked,
        outcome,
        error,
        faults: task === undefined ? [] : explainTask(task, replaySession(task, own)).map(describeFault),
        calls: own.map(({ tool, args, result, madeAt }) => {
          const ms = Math.max(0, madeAt.getTime() - (before ?? madeAt).getTime());
          before = madeAt;
          return { tool, args, result, ms };
        }),
      };
    }),
  };
}
