/**
 * An agent's work on one task. A session is rebuilt by replaying its calls, so a worker that dies loses only the call
 * that it was handling. It does not know how calls arrive.
 */
import { copyOffice, type Office } from './office.ts';
import type { Task } from './task.ts';
import { failure, type ToolCall, type ToolResult } from './tool.ts';
import { toolsByName } from './tools.ts';

export interface RecordedCall extends ToolCall {
  readonly result: ToolResult;
}

export type TaskOutcome = 'done' | 'refused' | null;

export const taskBudget = { calls: 40, seconds: 600, argumentBytes: 65_536 } as const;

export interface Session {
  readonly office: Office;
  readonly calls: readonly RecordedCall[];
  /** Null until the agent calls `finish`. */
  readonly outcome: TaskOutcome;
  readonly callsLeft: number;
  readonly argumentBytesLeft: number;
  /** True after `finish`, or when no calls are left. */
  readonly ended: boolean;
  /**
   * Makes one call. An unknown tool, wrong arguments and an unknown id count as a call and return `{error, message}`.
   * @throws Error when the session has ended
   */
  call(call: ToolCall): ToolResult;
}

export function startSession(task: Task): Session {
  const office = copyOffice(task.office);
  const calls: RecordedCall[] = [];
  let outcome: TaskOutcome = null;
  let argumentBytes = 0;
  const host = { office, ask: () => task.user.reply };
  const session = {
    office,
    calls,
    get outcome() {
      return outcome;
    },
    get callsLeft() {
      return taskBudget.calls - calls.length;
    },
    get argumentBytesLeft() {
      return taskBudget.argumentBytes - argumentBytes;
    },
    get ended() {
      return outcome !== null || calls.length >= taskBudget.calls;
    },
    call({ tool, args }: ToolCall): ToolResult {
      if (session.ended) throw new Error('The session has ended.');
      argumentBytes += argumentSize(args);
      const declared = toolsByName.get(tool);
      const result =
        declared === undefined
          ? failure(
              'unknown_tool',
              `There is no tool ${JSON.stringify(tool.slice(0, 80))}. The tools are ${[...toolsByName.keys()].join(', ')}.`,
            )
          : declared.run(host, args);
      if (result['finished'] === true) outcome = result['outcome'] === 'refused' ? 'refused' : 'done';
      calls.push({ tool, args, result });
      return result;
    },
  };
  return session;
}

/** Rebuilds a session from its calls. */
export function replaySession(task: Task, calls: readonly ToolCall[]): Session {
  const session = startSession(task);
  for (const call of calls) session.call(call);
  return session;
}

/** The size of a call's arguments as JSON, in bytes. */
export function argumentSize(args: unknown): number {
  return Buffer.byteLength(JSON.stringify(args) ?? '');
}
