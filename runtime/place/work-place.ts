/** Child processes that do work within limits of time and memory, and the place where the work of strangers shares them. */
import { readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import {
  type Claimant,
  createLocalTurns,
  LineFullError,
  type LocalTurns,
  type Release,
  TurnOrder,
} from '../turns/turns.ts';
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

/**
 * A child process that does tasks, one at a time, each within limits of processor time and memory. It starts with the first
 * task, is replaced when it has died or grown, and ends when it has had nothing to do for a while.
 */
export class ChildProgram<Task, Result> {
  readonly #options: ChildProgramOptions;
  #child: Child | null = null;
  /** What the process had used when its task began; null where the system does not tell. */
  #cpuBefore: number | null = null;
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
    const reply = await this.#ask(child, { task, limits }, wallMs, () => {
      this.#begunAt = performance.now();
      this.#cpuBefore = cpuMsOf(child.process.pid);
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
    return cpuMs === null || this.#cpuBefore === null
      ? performance.now() - this.#begunAt
      : cpuMs - this.#cpuBefore;
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
    onBegin: () => void = () => undefined,
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
      child.onReply = (reply) => ('begun' in reply ? onBegin() : end(() => resolve(reply)));
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

const clockTickMs = 10;

/** On Linux; null elsewhere, and for a process that has ended. */
function cpuMsOf(pid: number): number | null {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .slice(11, 13);
    return (Number(user) + Number(system)) * clockTickMs;
  } catch {
    return null;
  }
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

/** Too much work waits, or the place has failed: the work may succeed later. */
export class PlaceBusyError extends Error {
  override readonly name: string = 'PlaceBusyError';
}

export interface WorkPlaceOptions {
  /** The program of the processes; see `childCommand`. */
  readonly command: readonly string[];
  /** How much work may wait for each process. */
  readonly waitingMax: { readonly ofAgent: number; readonly all: number };
  readonly memoryMb?: number;
}

export interface WorkSize {
  /** The processor time that the work may take. */
  readonly cpuMs: number;
  /** Known to take long, whoever sends it. */
  readonly isLong?: boolean;
  /** Aborted when nobody waits for the result any more. */
  readonly signal?: AbortSignal;
}

/** Of each process. The largest document that the hub accepts takes less than half of it. */
export const placeMemoryMb = 512;
/** Quick work takes at most this time on average. */
const quickMs = 100;
/** Who has used less by this much lately comes first. Much quick work uses less than this, so that the quickest comes first. */
const rankMs = 2_000;
/** Work that was taken for quick gives way after this time. */
const quickKeepsMs = 250;
/** Long work that has used more than what waits keeps its process for at least this time. */
const longKeepsMs = 1_000;
const lookEveryMs = 50;
/** How often work begins again after it gave way, or after its process has died. */
const attemptsMax = 5;
const waitMaxMs = 30_000;
/** Below that of the processes that respond to requests. */
const niceness = { quick: 2, long: 10 } as const;

interface Holder {
  readonly claimant: Claimant;
  gaveWay: boolean;
}

interface Seat<Task, Result> {
  readonly program: ChildProgram<Task, Result>;
  holder: Holder | null;
}

interface Lane<Task, Result> {
  /** One for each turn. */
  readonly seats: readonly Seat<Task, Result>[];
  readonly turns: LocalTurns;
}

/**
 * The place for work of strangers that may take much time or memory: child processes, which such work cannot leave. Two of
 * them are for quick work, one of these only for agents whose work has been quick: however many new agents send long work,
 * those wait for none of it. Work that is known to be long, what takes longer there than others want to wait, and what its
 * network or agent sends after that, goes to the third one, which has a lower priority. Networks take turns, then the agents
 * within a network.
 */
export class WorkPlace<Task, Result> {
  readonly #memoryMb: number;
  readonly #order = new TurnOrder(undefined, { quickMs, rankMs });
  readonly #quick: Lane<Task, Result>;
  readonly #long: Lane<Task, Result>;
  #looking: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;

  constructor({ command, waitingMax, memoryMb = placeMemoryMb }: WorkPlaceOptions) {
    const lane = (priority: number, max: number): Lane<Task, Result> => ({
      seats: Array.from({ length: max }, () => ({
        program: new ChildProgram({ command, niceness: priority }),
        holder: null,
      })),
      turns: createLocalTurns({
        max,
        reserved: max - 1,
        reservedFor: (claimant, holders) =>
          this.#order.hasProved(claimant) &&
          holders.values().some((holder) => !this.#order.hasProved(holder.claimant)),
        waitingMax,
        waitMaxMs,
        order: this.#order,
      }),
    });
    this.#memoryMb = memoryMb;
    this.#quick = lane(niceness.quick, 2);
    this.#long = lane(niceness.long, 1);
  }

  /**
   * @param claimant whose turn the work takes
   * @throws TaskTooLongError, TaskTooLargeError, PlaceBusyError; Error when the task itself fails
   */
  async run(claimant: Claimant, task: Task, { cpuMs, isLong = false, signal }: WorkSize): Promise<Result> {
    let isQuick = !isLong && this.#order.isQuick(claimant);
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const lane = isQuick ? this.#quick : this.#long;
      const release = await this.#take(lane, claimant, signal);
      // It waited while other work of its network turned out to be long.
      if (isQuick && !this.#order.isQuick(claimant)) {
        release();
        isQuick = false;
        continue;
      }
      const seat = lane.seats.find(({ holder }) => holder === null);
      if (seat === undefined) throw new Error('Each turn has a process.');
      const holder: Holder = { claimant, gaveWay: false };
      seat.holder = holder;
      this.#look();
      const end = (): void => seat.program.close();
      // Quick work is over sooner than its process would start again.
      if (!isQuick) signal?.addEventListener('abort', end);
      let usedMs: number | undefined;
      try {
        const limits = { cpuMs, memoryMb: this.#memoryMb };
        const done = await seat.program.run(task, limits);
        usedMs = done.cpuMs;
        return done.result;
      } catch (error) {
        if (!(error instanceof ChildEndedError)) throw error;
      } finally {
        signal?.removeEventListener('abort', end);
        seat.holder = null;
        release(usedMs ?? seat.program.usedMs());
      }
      if (signal?.aborted === true) break;
      if (holder.gaveWay) isQuick = false;
    }
    throw new PlaceBusyError();
  }

  /** Ends the processes. Work that waits is turned away. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#looking);
    for (const { turns, seats } of [this.#quick, this.#long]) {
      turns.clear();
      for (const { program } of seats) program.close();
    }
  }

  async #take(
    { turns }: Lane<Task, Result>,
    claimant: Claimant,
    signal: AbortSignal | undefined,
  ): Promise<Release> {
    if (this.#isClosed) throw new PlaceBusyError();
    try {
      const release = await turns.take(claimant, signal);
      if (!this.#isClosed) return release;
      release();
      throw new LineFullError();
    } catch (error) {
      if (!(error instanceof LineFullError) && signal?.aborted !== true) throw error;
      throw new PlaceBusyError(undefined, { cause: error });
    }
  }

  /** Looks after the work while there is any. */
  #look(): void {
    this.#looking ??= setInterval(() => {
      this.#makeRoom();
      const seats = [...this.#quick.seats, ...this.#long.seats];
      if (seats.some(({ holder }) => holder !== null)) return;
      clearInterval(this.#looking);
      this.#looking = undefined;
    }, lookEveryMs);
  }

  #makeRoom(): void {
    const [quick, long] = [this.#quick, this.#long];
    giveWay(quick, quickKeepsMs, (waiting, holder) => waiting.agentId !== holder.agentId);
    giveWay(long, longKeepsMs, (waiting, holder) => this.#order.usesLess(waiting, holder));
  }
}

/** Ends the work in a lane that has had its time, if work waits that comes before it. */
function giveWay<Task, Result>(
  { seats, turns }: Lane<Task, Result>,
  afterMs: number,
  isBefore: (waiting: Claimant, holder: Claimant) => boolean,
): void {
  for (const { holder, program } of seats) {
    if (holder === null || holder.gaveWay || program.usedMs() < afterMs) continue;
    const own = holder.claimant;
    if (!turns.waiting().some(({ claimant }) => isBefore(claimant, own))) continue;
    holder.gaveWay = true;
    program.close();
  }
}
