/** A task of the week as a world. It goes on from the office that the earlier tasks left behind. */
import type { CallRecord, Step, Turn, World, WorldMessage } from '../worlds/world.ts';
import type { TaskVerdict } from './grade.ts';
import type { ToolResult } from './tools/tool.ts';
import { weekTools } from './tools/tools.ts';
import { type PresentedTask, promptOf, type Week } from './week.ts';

/** Never changed: a step works on a copy. */
export interface OfficeState {
  readonly week: Week;
  /** The number of the task. */
  readonly n: number;
  /** Those of the task. */
  readonly calls: readonly CallRecord[];
  readonly argumentBytes: number;
  readonly isReminded: boolean;
}

export interface OfficeWorld extends World<OfficeState> {
  /** What an agent is told about its work. */
  readonly system: string;
  readonly task: PresentedTask;
}

export const reminder =
  'Work on the task with the tools. Call `task_finish` to end it. Otherwise the task ends here.';

/** As agents see them. */
const tools = weekTools.map(({ name, description, parameters }) => ({ name, description, parameters }));

/** The world of the next task of a week. */
export function nextWorld(week: Week): OfficeWorld {
  const begun = week.copy();
  const task = begun.present();
  if (task === null) throw new RangeError('The week is over.');
  return {
    system: begun.brief,
    task,
    tools,
    start: () => ({
      state: { week: begun, n: task.n, calls: [], argumentBytes: 0, isReminded: false },
      messages: [{ role: 'user', content: promptOf(task) }],
      done: false,
    }),
    next: (state, step) => takeStep(state, step, argumentBytesOf(task.budget)),
  };
}

/** A call that records ten decisions takes about 1 kB; most take less. */
const argumentBytesPerCall = 1_024;
/** For a task with few calls, some of which are long mails or notes. */
const argumentBytesMin = 16_384;

/** What the arguments of all calls of a task may have together. @param budget in calls */
export function argumentBytesOf(budget: number): number {
  return argumentBytesMin + argumentBytesPerCall * budget;
}

/** The size of a call's arguments as JSON, in bytes. */
export function argumentSize(args: unknown): number {
  return Buffer.byteLength(JSON.stringify(args) ?? '');
}

function takeStep(before: OfficeState, { calls }: Step, argumentBytesMax: number): Turn<OfficeState> {
  if (calls.length === 0 && before.isReminded) return { state: before, messages: [], done: true };
  if (calls.length === 0) {
    const messages = [{ role: 'user', content: reminder }] as const;
    return { state: { ...before, isReminded: true }, messages, done: false };
  }
  const sizes = calls.map((call) => argumentSize(call.arguments));
  const argumentBytes = sizes.reduce((sum, size) => sum + size, before.argumentBytes);
  if (argumentBytes > argumentBytesMax) return { state: before, messages: [], done: true };
  const week = before.week.copy();
  const records: CallRecord[] = [];
  const messages: WorldMessage[] = [];
  let done = false;
  for (const { id, name, arguments: given } of calls) {
    if (done) break;
    const found = week.call(name, given);
    const result = JSON.stringify(found);
    records.push({ name, arguments: given, result, outcome: outcomeOf(found) });
    messages.push({ role: 'tool', id, content: result });
    done = found['task_ended'] === true;
  }
  return { state: { ...before, week, calls: [...before.calls, ...records], argumentBytes }, messages, done };
}

const passing: readonly unknown[] = ['unavailable', 'timeout', 'rate_limited'];

function outcomeOf({ error }: ToolResult): CallRecord['outcome'] {
  if (error === undefined) return 'done';
  return passing.includes(error) ? 'failed' : 'refused';
}

/** The week after the task, which ends as it stands if it has not ended. */
export function weekAfter({ week, n }: OfficeState): Week {
  if (week.verdicts.length >= n) return week;
  const ended = week.copy();
  ended.end();
  return ended;
}

export function verdictOf(state: OfficeState): TaskVerdict {
  const verdict = weekAfter(state).verdicts.at(-1);
  if (verdict === undefined) throw new RangeError('No task has begun.');
  return verdict;
}
