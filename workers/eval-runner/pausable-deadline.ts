/**
 * A deadline that is paused while the hub itself delays the calls of a run, because their host has not agreed to more.
 * A run must not fail for that.
 */
export class PausableDeadline {
  readonly #abort = new AbortController();
  /** The longest total pause. */
  readonly #pausedMaxMs: number;
  /** With the pauses that are over. */
  #endsAt: number;
  #pausedMs = 0;
  #pauses = 0;
  #pausedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(leftMs: number, pausedMaxMs: number) {
    this.#pausedMaxMs = Math.max(0, pausedMaxMs);
    this.#endsAt = performance.now() + leftMs;
    this.#waitUntil(this.#endsAt);
  }

  /** Fires at the deadline. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** How long it has been paused. */
  pausedMs(): number {
    const current = this.#pauses > 0 ? performance.now() - this.#pausedAt : 0;
    return Math.min(this.#pausedMaxMs, this.#pausedMs + current);
  }

  /** Pauses until every function that this returned has been called. */
  pause(): () => void {
    if (this.#pauses === 0) {
      this.#pausedAt = performance.now();
      this.#waitUntil(this.#endsAt + this.#pausedMaxMs - this.#pausedMs);
    }
    this.#pauses += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const pausedMs = this.pausedMs();
      this.#pauses -= 1;
      if (this.#pauses > 0) return;
      this.#endsAt += pausedMs - this.#pausedMs;
      this.#pausedMs = pausedMs;
      this.#waitUntil(this.#endsAt);
    };
  }

  /** Must be called when the work has ended. */
  clear(): void {
    clearTimeout(this.#timer);
  }

  #waitUntil(time: number): void {
    clearTimeout(this.#timer);
    if (this.#abort.signal.aborted) return;
    this.#timer = setTimeout(() => this.#abort.abort(), Math.max(0, time - performance.now()));
  }
}
