/** What grading one reply, or checking one document, may cost. */

/** The work was more than its budget. */
export class TooMuchWorkError extends Error {
  override readonly name: string = 'TooMuchWorkError';
}

/**
 * Work is counted in steps instead of time, so that no verdict depends on the machine. A step takes about 10 ns. Code
 * whose work grows with a stranger's text spends before it works.
 */
export class WorkBudget {
  #left: number;
  readonly #whole: WorkBudget | null;

  /** @param whole the budget of which this is a part: it pays too */
  constructor(steps: number, whole: WorkBudget | null = null) {
    this.#left = steps;
    this.#whole = whole;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** @throws TooMuchWorkError */
  spend(steps: number): void {
    this.#whole?.spend(steps);
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuchWorkError('The work is more than its budget.');
  }
}
