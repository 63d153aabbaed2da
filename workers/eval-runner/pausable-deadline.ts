/**
 * A deadline that is paused while the hub itself delays the calls of a run, because their host has not agreed to more.
 * A run must not fail for that.
 */
export class PausableDeadline {
  readonly #abort = new AbortController();
  /** The longest total pause. */
  readonly #pausedMaxMs: number;
  #leftMs: number;
  #pausedMs = 0;
  #pauses = 0;
  /** When it began to run, or was paused. */
  #since = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(leftMs: number, pausedMaxMs: number) {
    this.#leftMs = leftMs;
    this.#pausedMaxMs = Math.max(0, pausedMaxMs);
    this.#wait(leftMs);
  }

  /** Fires at the deadline. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** How long it has been paused. */
  pausedMs(): number {
    const current = this.#pauses > 0 ? performance.now() - this.#since : 0;
    return Math.min(this.#pausedMaxMs, this.#pausedMs + current);
  }

  /** Pauses until every function that this returned has been called. */
  pause(): () => void {
    if (this.#pauses === 0) {
      this.#leftMs -= this.#elapse();
      this.#wait(this.#leftMs + this.#pausedMaxMs - this.#pausedMs);
    }
    this.#pauses += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#pauses -= 1;
      if (this.#pauses > 0) return;
      const pausedMs = this.#elapse();
      const counted = Math.min(pausedMs, this.#pausedMaxMs - this.#pausedMs);
      this.#pausedMs += counted;
      this.#leftMs -= pausedMs - counted;
      this.#wait(this.#leftMs);
    };
  }

  /** Must be called when the work has ended. */
  clear(): void {
    clearTimeout(this.#timer);
  }

  #elapse(): number {
    const since = this.#since;
    this.#since = performance.now();
    return this.#since - since;
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#abort.signal.aborted) return;
    this.#timer = setTimeout(() => this.#abort.abort(), Math.max(0, ms));
  }
}
