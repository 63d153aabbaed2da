/**
 * Rows that a round of the sweeper failed on. They are left out for a minute, so that a row that cannot be handled keeps
 * no other one waiting. Each sweeper remembers its own.
 */
import { isDatabaseUnavailable, isStoreFrozen } from '#db/errors.ts';
import type { Clock } from '#runtime/clock.ts';
import { keepNewest } from '#runtime/keep-newest.ts';

const leftOutMs = 60_000;
/** Beyond it, the oldest are tried again at once. */
const rememberedMax = 500;

export class Setbacks {
  readonly #clock: Clock;
  readonly #failedAt = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The ids of the rows to leave out, at most 500. */
  leftOut(): string[] {
    const since = this.#clock.now().getTime() - leftOutMs;
    for (const [id, at] of this.#failedAt) if (at <= since) this.#failedAt.delete(id);
    return [...this.#failedAt.keys()];
  }

  /**
   * Handles rows one after the other, each in a transaction of its own.
   *
   * @returns how many were handled
   * @throws AggregateError with the ids of those that failed, after the last row, or at once if two rows in succession
   *   fail because the store does not answer: one alone may just be locked
   * @throws StoreFrozenError at once if the hub is frozen
   */
  async forEach<Row extends { readonly id: string }>(
    what: string,
    rows: readonly Row[],
    handle: (row: Row) => Promise<unknown>,
  ): Promise<number> {
    const failures: unknown[] = [];
    const failed: string[] = [];
    let unanswered = 0;
    for (const row of rows) {
      try {
        await handle(row);
        unanswered = 0;
      } catch (error) {
        // It says nothing about the row.
        if (isStoreFrozen(error)) throw error;
        keepNewest(this.#failedAt, row.id, this.#clock.now().getTime(), rememberedMax);
        failures.push(error);
        failed.push(row.id);
        unanswered = isDatabaseUnavailable(error) ? unanswered + 1 : 0;
        if (unanswered === 2) break;
      }
    }
    if (failed.length === 0) return rows.length;
    throw new AggregateError(failures, `These ${what}: ${failed.join(', ')}.`);
  }
}
