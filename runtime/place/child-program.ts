/**
 * A child process that does tasks, one at a time, each within limits of processor time and memory. It starts with the first
 * task, is replaced when it has died or grown, and ends when it has had nothing to do for a while.
 */
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { cpuMsOf } from '../process/is-alive.ts';
import { projectFolder } from '../project-files.ts';
import { overruns, type TaskLimits, type TaskReply, type TaskRequest } from './serve-tasks.ts';

/** The task used more processor time than it may. */
export class TaskTooLongError extends Error {
  override readonly name: string = 'TaskTooLongError';
}

/** The task used more memory than it may. */
export class TaskTooLargeError extends Error {
  override readonly name: string = 'TaskTooLargeError';
}

/** The process ended in the middle of the task for another reason. */
export class ChildEndedError extends Error {
  override readonly name: string = 'ChildEndedError';
}

interface Done<Result> {
  readonly result: Result;
  /** The processor time that the task took. */
  readonly cpuMs: number;
}

export interface ChildProgramOptions {
  /** See `childCommand`. */
  readonly command: readonly string[];
  /** Omitted: nothing but what a program needs to start. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How far below the priority of this process that of the child is. */
  readonly niceness?: number;
}

const startTimeoutMs = 30_000;
/** A process that gets so little of the machine has failed, not its task. */
const wallPerCpuMs = 6;
const wallMinMs = 10_000;
/** An idle process keeps tens of megabytes. */
const idleMs = 60_000;
/** Above this share of the limit, the memory that earlier tasks left would count against the next one. */
const grownShare = 0.5;

interface Child {
  readonly process: Bun.Subprocess<'ignore', 'pipe', 'inherit'>;
  /** Gets each reply of the process. */
  onReply: (reply: TaskReply) => void;
  /** Gets the reason when the process has ended. */
  onEnd: (reason: Error) => void;
}

export class ChildProgram<Task, Result> {
  readonly #options: ChildProgramOptions;
  #child: Child | null = null;
  /** What the process had used when its task began. */
  #cpuBefore = 0;
  #begunAt: number | null = null;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ChildProgramOptions) {
    this.#options = options;
  }

  /**
   * Call it again only after the last task has ended.
   *
   * @throws TaskTooLongError, TaskTooLargeError, ChildEndedError; Error when the task itself fails
   */
  async run(task: Task, limits: TaskLimits): Promise<Done<Result>> {
    this.#begunAt = null;
    clearTimeout(this.#idle);
    const child = this.#child ?? (await this.#start());
    const wallMs = Math.max(wallMinMs, limits.cpuMs * wallPerCpuMs);
    const reply = await this.#ask(child, { task, limits }, wallMs, (cpuMs) => {
      this.#begunAt = performance.now();
      this.#cpuBefore = cpuMs;
    });
    if ('error' in reply) throw new Error(reply.error);
    if (!('result' in reply)) throw new ChildEndedError('The process started twice.');
    if (reply.residentMb > limits.memoryMb * grownShare) this.close();
    this.#idle = setTimeout(() => this.close(), idleMs);
    // The program returns the result of this task.
    return { result: reply.result as Result, cpuMs: reply.cpuMs };
  }

  /**
   * The processor time of the task that runs, or ran last; where the system does not tell, the time since it began. 0
   * while the process starts and loads what the task needs.
   */
  usedMs(): number {
    if (this.#begunAt === null) return 0;
    const cpuMs = this.#child === null ? null : cpuMsOf(this.#child.process.pid);
    return cpuMs === null ? performance.now() - this.#begunAt : cpuMs - this.#cpuBefore;
  }

  /** Ends the process. A task that runs fails with `ChildEndedError`. */
  close(): void {
    clearTimeout(this.#idle);
    this.#child?.process.kill('SIGKILL');
    this.#child = null;
  }

  async #start(): Promise<Child> {
    const { command, env = plainEnvironment(), niceness = 0 } = this.#options;
    const child: Child = {
      process: Bun.spawn([process.execPath, ...command], {
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'inherit',
        env,
        ipc: (reply: TaskReply) => child.onReply(reply),
      }),
      onReply: () => undefined,
      onEnd: () => undefined,
    };
    void this.#followEnd(child);
    this.#child = child;
    if (niceness > 0) lowerPriority(child.process.pid, niceness);
    await this.#ask(child, null, startTimeoutMs);
    return child;
  }

  async #followEnd(child: Child): Promise<void> {
    const reason = await endOf(child);
    if (this.#child === child) this.#child = null;
    child.onEnd(reason);
  }

  /** @param request null to wait for the start of the program */
  #ask(
    child: Child,
    request: TaskRequest | null,
    wallMs: number,
    onBegin: (cpuMs: number) => void = () => undefined,
  ): Promise<TaskReply> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = (settle: () => void): void => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        settle();
      };
      const timer = setTimeout(() => child.process.kill('SIGKILL'), wallMs);
      child.onReply = (reply) => ('begun' in reply ? onBegin(reply.begun.cpuMs) : end(() => resolve(reply)));
      child.onEnd = (reason) => end(() => reject(reason));
      if (request !== null) child.process.send(request);
    });
  }
}

/** @returns why the process ended, when it has */
async function endOf({ process: child }: Child): Promise<Error> {
  const written = await new Response(child.stdout).text();
  await child.exited;
  if (written.endsWith(overruns.time)) return new TaskTooLongError();
  if (written.endsWith(overruns.memory) || isCrash(child.signalCode)) return new TaskTooLargeError();
  const how = child.signalCode === null ? `exit code ${child.exitCode}` : `signal ${child.signalCode}`;
  return new ChildEndedError(`The process ended with ${how}.`);
}

/** What native code does that is out of memory or stack, and what it would do again. */
function isCrash(signal: Bun.Subprocess['signalCode']): boolean {
  return ['SIGABRT', 'SIGBUS', 'SIGILL', 'SIGSEGV', 'SIGTRAP'].includes(String(signal));
}

const lowestPriority = 19;

function lowerPriority(pid: number, niceness: number): void {
  try {
    setPriority(pid, Math.min(lowestPriority, getPriority() + niceness));
  } catch {
    // It has just ended.
  }
}

/** Without the settings of the hub, some of which are secret. */
function plainEnvironment(): Record<string, string | undefined> {
  const { PATH, HOME, TMPDIR, TZ } = process.env;
  return { PATH, HOME, TMPDIR, TZ };
}

/** The programs that run in child processes, and their files. The compiled binary contains them by name. */
const files = {
  place: ['domain', 'place', 'place-program.ts'],
  backup: ['domain', 'backups', 'backup-program.ts'],
} as const;

/** @returns the arguments after `process.execPath` (Bun or the binary) */
export function childCommand(program: keyof typeof files): readonly string[] {
  return [Bun.isStandaloneExecutable ? program : join(projectFolder, ...files[program])];
}
