/** The scorecard of a completed agent run, as in its JSON form. */
import type { AgentRunCallRow, AgentRunTaskRow, StoredTaskVerdict } from '#db/schema/run-tables.ts';
import { explainTask } from '#evals/office/explain-task.ts';
import { type AgentRunScore, scoreAgentRun } from '#evals/office/score-agent-run.ts';
import { replaySession } from '#evals/office/session.ts';
import type { Task } from '#evals/office/task.ts';
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
  readonly level: number;
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

export interface AgentRunCard extends AgentRunScore {
  readonly tasks: readonly CardTask[];
}

/**
 * @param calls in the order in which they were made
 * @param made the tasks, regenerated from the seed; empty if this version generates other tasks
 */
export function makeCard(
  verdicts: readonly StoredTaskVerdict[],
  tasks: readonly Pick<AgentRunTaskRow, 'n' | 'handedOutAt'>[],
  calls: readonly Pick<AgentRunCallRow, 'n' | 'tool' | 'args' | 'result' | 'madeAt'>[],
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
