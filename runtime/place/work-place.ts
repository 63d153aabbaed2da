/**
 * The place for work of strangers that may take much time or memory: child processes, which such work cannot leave. Two of
 * them are for quick work, one of these only for agents whose work has been quick: however many new agents send long work,
 * those wait for none of it. Work that is known to be long, what takes longer there than others want to wait, and what its
 * network or agent sends after that, goes to the third one, which has a lower priority. Networks take turns, then the agents
 * within a network.
 */
import {
  type Claimant,
  createLocalTurns,
  LineFullError,
  type LocalTurns,
  type Release,
  TurnOrder,
} from '../turns/turns.ts';
import { ChildEndedError, ChildProgram } from './child-program.ts';

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
   * @param makeTask called when its turn has come, and again if the work begins again
   * @throws TaskTooLongError, TaskTooLargeError, PlaceBusyError; Error when the task itself fails
   */
  async run(
    claimant: Claimant,
    makeTask: () => Task,
    { cpuMs, isLong = false, signal }: WorkSize,
  ): Promise<Result> {
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
        const done = await seat.program.run(makeTask(), limits);
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
