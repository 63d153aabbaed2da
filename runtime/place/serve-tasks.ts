/**
 * The inside of a child process that does tasks for a `ChildProgram`. A thread beside the work watches the memory and the
 * processor time of the process, and ends it when a task exceeds its limits: the work itself cannot be interrupted.
 */
import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

export interface TaskLimits {
  /** Processor time, so that a busy machine changes no verdict. */
  readonly cpuMs: number;
  /** Resident memory of the whole process. */
  readonly memoryMb: number;
}

export interface TaskRequest {
  readonly task: unknown;
  readonly limits: TaskLimits;
}

export type TaskReply =
  | { readonly ready: true }
  /** The parts that the task needs are loaded, and its limits begin at this processor time of the process. */
  | { readonly begun: { readonly cpuMs: number } }
  | { readonly result: unknown; readonly residentMb: number; readonly cpuMs: number }
  | { readonly error: string };

/** What the watching thread writes to standard output before it ends the process. */
export const overruns = { time: 'too long', memory: 'too large' } as const;

const bytesInMb = 1024 * 1024;
const microsecondsInMs = 1_000;
/** The kernel ends this process first when the machine or the container is out of memory. */
const firstToEnd = '1000';

/**
 * As text, so that the compiled binary, which has no files, can start it too. It also ends a process whose parent has died
 * in the middle of a task.
 */
const watcher = `
const { workerData } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const end = (why) => { writeSync(1, why); process.kill(process.pid, 'SIGKILL'); };
setInterval(() => {
  if (process.ppid !== workerData.parent) process.kill(process.pid, 'SIGKILL');
  const [cpuEndsAt, residentBytes] = workerData.limits;
  if (process.memoryUsage.rss() > residentBytes) end(workerData.overruns.memory);
  const { user, system } = process.cpuUsage();
  if (user + system > cpuEndsAt) end(workerData.overruns.time);
}, 20);`;

/**
 * @param prepare gets the tasks, one at a time, and loads what they need; the limits are those of the function that it
 *   returns
 */
export function serveTasks(prepare: (task: never) => Promise<() => unknown>): void {
  // The thread reads the limits here, so that no task sends it messages.
  const watched = new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT)).fill(Infinity);
  const workerData = { parent: process.ppid, overruns, limits: watched };
  new Worker(watcher, { eval: true, workerData }).unref();
  offerToKernel();
  const reply = async ({ task, limits }: TaskRequest): Promise<TaskReply> => {
    try {
      // The parent sends tasks of the type that its program performs.
      const perform = await prepare(task as never);
      const { user, system } = process.cpuUsage();
      const cpuBegins = user + system;
      const cpuEndsAt = cpuBegins + limits.cpuMs * microsecondsInMs;
      watched.set([cpuEndsAt, limits.memoryMb * bytesInMb]);
      process.send?.({ begun: { cpuMs: cpuBegins / microsecondsInMs } } satisfies TaskReply);
      const result = await perform();
      const used = process.cpuUsage();
      return {
        result,
        residentMb: Math.round(process.memoryUsage.rss() / bytesInMb),
        cpuMs: (used.user + used.system - cpuBegins) / microsecondsInMs,
      };
    } catch (error) {
      return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    } finally {
      watched.fill(Infinity);
    }
  };
  process.on('message', (request: TaskRequest) => {
    void reply(request).then((replied) => process.send?.(replied));
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ ready: true } satisfies TaskReply);
}

function offerToKernel(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', firstToEnd);
  } catch {
    // Not Linux, or not allowed.
  }
}
