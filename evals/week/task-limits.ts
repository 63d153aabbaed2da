/** What an agent may use in a task with a budget of calls. */
export interface TaskLimits {
  readonly calls: number;
  /** By which the task extends the deadline of its run. */
  readonly seconds: number;
  /** Of the arguments of all calls together. */
  readonly argumentBytes: number;
}

const secondsPerCall = 30;
/** A call that records ten decisions takes about 1 kB; most take less. */
const argumentBytesPerCall = 1_024;
/** For a task with few calls, some of which are long mails or notes. */
const argumentBytesMin = 16_384;

export function limitsOf(budget: number): TaskLimits {
  return {
    calls: budget,
    seconds: secondsPerCall * budget,
    argumentBytes: argumentBytesMin + argumentBytesPerCall * budget,
  };
}

/** The size of a call's arguments as JSON, in bytes. */
export function argumentSize(args: unknown): number {
  return Buffer.byteLength(JSON.stringify(args) ?? '');
}
