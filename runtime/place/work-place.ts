/**
 * The place for work of strangers that may take much time or memory: child processes, which such work cannot leave. One of
 * them is for quick work. What takes longer there than others want to wait, and what its network or agent sends after
 * that, goes to the other one, which has a lower priority. In both, networks take turns, then the agents within a network.
 */
import { type Claimant, TurnOrder } from '../turns/turn-order.ts';
import { createLocalTurns, LineFullError, type LocalTurns, type Release } from '../turns/local-turns.ts';
import { ChildEndedError, ChildProgram } from './child-program.ts';

/** Too much work waits, or the place has failed: the work may succeed later. */
export class PlaceBusyError extends Error {
  override readonly name: string = 'PlaceBusyError';
}

export interface WorkPlaceOptions {
  /** The program of the processes; see `childCommand`. */
  readonly command: readonly string[];
  /** The work that may wait for each process, in the unit of `room`. */
  readonly waitingMax: { readonly ofAgent: number; readonly all: number };
  readonly memoryMb?: number;
}

export interface WorkSize {
  /** The processor time that the work may take. */
  readonly cpuMs: number;
  /** How much of the line it takes while it waits; 1 by default. */
  readonly room?: number;
}

/** Of each process. The largest document that the hub accepts takes less than half of it. */
export const placeMemoryMb = 512;
/** Quick work takes at most this time on average. */
const quickMs = 100;
/** Who has used less by this much lately comes first. */
const rankMs = 100;
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

interface Lane<Task, Result> {
  readonly program: ChildProgram<Task, Result>;
  readonly turns: LocalTurns;
  holder: Holder | null;
}

export class WorkPlace<Task, Result> {
  readonly #memoryMb: number;
  readonly #order = new TurnOrder(undefined, { quickMs, rankMs });
  readonly #quick: Lane<Task, Result>;
  readonly #long: Lane<Task, Result>;
  #looking: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;

  constructor({ command, waitingMax, memoryMb = placeMemoryMb }: WorkPlaceOptions) {
    const lane = (priority: number): Lane<Task, Result> => ({
      program: new ChildProgram({ command, niceness: priority }),
      turns: createLocalTurns({ max: 1, waitingMax, order: this.#order }),
      holder: null,
    });
    this.#memoryMb = memoryMb;
    this.#quick = lane(niceness.quick);
    this.#long = lane(niceness.long);
  }

  /**
   * @param claimant whose turn the work takes
   * @throws TaskTooLongError, TaskTooLargeError, PlaceBusyError; Error when the task itself fails
   */
  async run(claimant: Claimant, task: Task, { cpuMs, room = 1 }: WorkSize): Promise<Result> {
    let isQuick = this.#order.isQuick(claimant);
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const lane = isQuick ? this.#quick : this.#long;
      const release = await this.#take(lane, claimant, room);
      // It waited while other work of its network turned out to be long.
      if (isQuick && !this.#order.isQuick(claimant)) {
        release();
        isQuick = false;
        continue;
      }
      const holder: Holder = { claimant, gaveWay: false };
      lane.holder = holder;
      this.#look();
      let usedMs: number | undefined;
      try {
        const limits = { cpuMs, memoryMb: this.#memoryMb };
        const done = await lane.program.run(task, limits);
        usedMs = done.cpuMs;
        return done.result;
      } catch (error) {
        if (!(error instanceof ChildEndedError)) throw error;
      } finally {
        lane.holder = null;
        release(usedMs ?? lane.program.usedMs());
      }
      if (holder.gaveWay) isQuick = false;
    }
    throw new PlaceBusyError();
  }

  /** @throws PlaceBusyError if work of this room would be turned away now */
  requireRoom(claimant: Claimant, room: number): void {
    const { turns } = this.#order.isQuick(claimant) ? this.#quick : this.#long;
    try {
      turns.requireRoom(claimant, room);
    } catch (error) {
      if (!(error instanceof LineFullError)) throw error;
      throw new PlaceBusyError(undefined, { cause: error });
    }
  }

  /** Ends the processes. Work that waits is turned away. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#looking);
    for (const { turns, program } of [this.#quick, this.#long]) {
      turns.clear();
      program.close();
    }
  }

  async #take({ turns }: Lane<Task, Result>, claimant: Claimant, room: number): Promise<Release> {
    if (this.#isClosed) throw new PlaceBusyError();
    try {
      const release = await turns.take(claimant, AbortSignal.timeout(waitMaxMs), room);
      if (this.#isClosed) throw new LineFullError();
      return release;
    } catch (error) {
      const isLate = error instanceof DOMException && error.name === 'TimeoutError';
      if (!isLate && !(error instanceof LineFullError)) throw error;
      throw new PlaceBusyError(undefined, { cause: error });
    }
  }

  /** Looks after the work while there is any. */
  #look(): void {
    this.#looking ??= setInterval(() => {
      this.#makeRoom();
      if (this.#quick.holder !== null || this.#long.holder !== null) return;
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

/** Ends the work in a lane if it has had its time, and work waits that comes before it. */
function giveWay<Task, Result>(
  { holder, turns, program }: Lane<Task, Result>,
  afterMs: number,
  isBefore: (waiting: Claimant, holder: Claimant) => boolean,
): void {
  if (holder === null || holder.gaveWay || program.usedMs() < afterMs) return;
  for (const { claimant } of turns.waiting()) {
    if (!isBefore(claimant, holder.claimant)) continue;
    holder.gaveWay = true;
    program.close();
    return;
  }
}
