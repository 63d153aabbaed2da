/**
 * Decides which runs a runner process works on. A run that waits for its target costs little, so a process takes many;
 * when all its slots are taken, further runs go back to the queue with a delay and wait here in order. Slots are
 * shared fairly between networks and agents. The last quarter is reserved for those that have used little; while one of
 * them waits, the run that has used the most gives up its slot.
 */
import type { Requeue } from '#runtime/jobs/job-worker.ts';
import { type Claimant, TurnOrder } from '#runtime/turns/turns.ts';

/** This many runs of one target can share the slots at its address and still end in time. */
const runsPerTargetMax = 64;
/** Runs of one target take at most this share of the slots. */
const shareOfTarget = 0.6;
/** Over all targets. A run that finds the line full still comes back after its delay. */
export const lineLengthMax = 10_000;
/** This share of the slots is reserved for agents and networks that have used little slot-time lately. */
const shareForNew = 0.25;
/** A run keeps its slot for at least this long, so that slow runs progress too. */
const keepsPlaceMs = 10_000;
/** The delay of a run that no other run wakes, e.g. because the process that had it in line has died. */
const retryDelay = { minMs: 1_000, perWaitingRunMs: 10, maxMs: 60_000 };
/** A waiting run this long past its delay was taken by another process. */
const goneMs = 5_000;

export interface RunClaim {
  readonly runId: string;
  readonly claimant: Claimant;
  readonly targetUrl: string;
}

export interface Slot {
  /** Fires when the run must go back to the queue. */
  readonly yielded: AbortSignal;
  leave(): void;
}

interface WaitingRun extends RunClaim {
  readonly deliver: Requeue;
  readonly goneAt: number;
}

interface RunningRun {
  readonly claimant: Claimant;
  readonly since: number;
  readonly yields: AbortController;
}

export class Admission {
  readonly #max: number;
  readonly #openToAll: number;
  readonly #perTarget: number;
  readonly #lineMax: number;
  readonly #now: () => number;
  readonly #order: TurnOrder;
  readonly #running = new Set<RunningRun>();
  readonly #runsOfTarget = new Map<string, number>();
  readonly #line = new Map<string, WaitingRun>();

  constructor(max: number, lineMax: number = lineLengthMax, now: () => number = () => performance.now()) {
    this.#max = max;
    this.#openToAll = max - Math.floor(max * shareForNew);
    this.#perTarget = Math.min(runsPerTargetMax, Math.ceil(max * shareOfTarget));
    this.#lineMax = lineMax;
    this.#now = now;
    this.#order = new TurnOrder(now);
  }

  /** @returns null when there is no slot for the run */
  enter(claim: RunClaim): Slot | null {
    if (!this.#isOpenTo(claim)) return null;
    this.#line.delete(claim.runId);
    const { claimant, targetUrl } = claim;
    const run = { claimant, since: this.#now(), yields: new AbortController() };
    const end = this.#order.hold(claimant);
    this.#running.add(run);
    this.#countAtTarget(targetUrl, 1);
    return {
      yielded: run.yields.signal,
      leave: () => {
        end();
        this.#running.delete(run);
        this.#countAtTarget(targetUrl, -1);
        void this.#deliverNext();
      },
    };
  }

  /** How long a run that was not admitted is delayed. It grows with the line. */
  retryDelayMs(): number {
    return Math.min(retryDelay.maxMs, retryDelay.minMs + retryDelay.perWaitingRunMs * this.#line.size);
  }

  /** Adds a snoozed run to those that wait, or requeues it immediately if a slot has become free. */
  joinQueue(claim: RunClaim, deliver: Requeue): void {
    if (this.#isOpenTo(claim)) {
      void deliver();
      return;
    }
    if (!this.#line.has(claim.runId) && this.#isLineFull()) return;
    this.#line.set(claim.runId, { ...claim, deliver, goneAt: this.#now() + this.retryDelayMs() + goneMs });
    this.#makeRoomFor(claim.claimant);
  }

  #isOpenTo({ claimant, targetUrl }: RunClaim): boolean {
    if ((this.#runsOfTarget.get(hostOf(targetUrl)) ?? 0) >= this.#perTarget) return false;
    const { size } = this.#running;
    return size < this.#openToAll || (size < this.#max && this.#order.isNew(claimant));
  }

  #countAtTarget(targetUrl: string, change: 1 | -1): void {
    const host = hostOf(targetUrl);
    const count = (this.#runsOfTarget.get(host) ?? 0) + change;
    if (count === 0) this.#runsOfTarget.delete(host);
    else this.#runsOfTarget.set(host, count);
  }

  /** If a run is no longer delayed, another process has taken it, so the next one is tried. */
  async #deliverNext(): Promise<void> {
    for (;;) {
      const next = this.#order.next(this.#line.values().filter((run) => this.#isOpenTo(run)));
      if (next === undefined) return;
      this.#line.delete(next.runId);
      if (await next.deliver()) return;
    }
  }

  #isLineFull(): boolean {
    if (this.#line.size < this.#lineMax) return false;
    for (const [runId, { goneAt }] of this.#line) if (goneAt < this.#now()) this.#line.delete(runId);
    return this.#line.size >= this.#lineMax;
  }

  /** Makes room for a newcomer by sending a run back to the queue. */
  #makeRoomFor(newcomer: Claimant): void {
    if (this.#running.size < this.#openToAll || !this.#order.isNew(newcomer)) return;
    const slow = this.#running
      .values()
      .filter(({ since, yields }) => this.#now() - since >= keepsPlaceMs && !yields.signal.aborted);
    this.#order.last(slow)?.yields.abort();
  }
}

function hostOf(targetUrl: string): string {
  return URL.parse(targetUrl)?.host ?? '';
}
