/**
 * Turns of the event loop: work whose time grows with the size of a text takes turns, and what is asked for in one turn is
 * combined into a batch.
 */

let isTaken = false;
let waitingWork: (() => void)[] = [];
let first = 0;

/**
 * One piece of long work starts in each turn. Requests that arrive together would otherwise be handled one after the other
 * before anything else, such as a small request or a timer, comes to its turn.
 * @returns a promise that resolves when the work may start; null means at once
 */
export function takeTurn(): Promise<void> | null {
  if (!isTaken) {
    isTaken = true;
    setImmediate(nextTurn);
    return null;
  }
  return new Promise((resolve) => waitingWork.push(resolve));
}

function nextTurn(): void {
  const start = waitingWork[first];
  if (start === undefined) {
    waitingWork = [];
    first = 0;
    isTaken = false;
    return;
  }
  first += 1;
  setImmediate(nextTurn);
  start();
}

/** Lets everything that waits have its turn first. */
export function othersTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/**
 * Combines the items asked for in one turn into a batch. A single item only waits for the end of its turn; under load the
 * batches grow.
 */
export interface Batcher<Item, Result> {
  /**
   * @throws BatcherFullError when too many items wait already, or this one waited too long. The item was not
   * handled then. Otherwise rejects with the error of the batch or of this item.
   */
  ask(item: Item): Promise<Result>;
}

export interface BatcherOptions<Item, Result> {
  readonly maxBatch: number;
  /** Batches that run at the same time. Further items wait meanwhile. */
  readonly maxInFlight?: number;
  /** Items that may wait. One more is rejected. */
  readonly maxWaiting?: number;
  /** How long an item may wait for a batch. */
  readonly maxWaitMs?: number;
  /**
   * Returns results in the order of `items`. An `Error` among them fails only that item; a rejection fails
   * them all.
   */
  readonly handle: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
}

export class BatcherFullError extends Error {
  override readonly name = 'BatcherFullError';
}

interface WaitingItem<Item, Result> {
  readonly item: Item;
  readonly askedAtMs: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

const defaultMaxInFlight = 4;
const defaultMaxWaiting = 10_000;
/** Batches that take longer are stuck. Callers that wait behind them should learn it in time to react. */
const defaultMaxWaitMs = 2_000;

export function createBatcher<Item, Result>({
  maxBatch,
  maxInFlight = defaultMaxInFlight,
  maxWaiting = defaultMaxWaiting,
  maxWaitMs = defaultMaxWaitMs,
  handle,
}: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const waiting: WaitingItem<Item, Result>[] = [];
  let inFlight = 0;
  let scheduled = false;
  let waitTimer: ReturnType<typeof setTimeout> | null = null;

  const schedule = (): void => {
    if (scheduled || waiting.length === 0 || inFlight >= maxInFlight) return;
    scheduled = true;
    setImmediate(start);
  };

  /** One timer serves all waiting items: it is always set for the first of them. */
  const limitWaiting = (): void => {
    const [first] = waiting;
    if (waitTimer !== null || first === undefined) return;
    waitTimer = setTimeout(rejectOverdue, Math.max(1, first.askedAtMs + maxWaitMs - performance.now()));
  };

  const rejectOverdue = (): void => {
    waitTimer = null;
    for (const { reject } of takeOverdue(waiting, performance.now() - maxWaitMs)) {
      reject(new BatcherFullError(`The item waited for ${maxWaitMs} ms.`));
    }
    limitWaiting();
  };

  const start = (): void => {
    scheduled = false;
    while (waiting.length > 0 && inFlight < maxInFlight) {
      inFlight += 1;
      void run(waiting.splice(0, maxBatch));
    }
    if (waiting.length > 0) limitWaiting();
  };

  const run = async (batch: readonly WaitingItem<Item, Result>[]): Promise<void> => {
    try {
      settle(batch, await handle(batch.map(({ item }) => item)));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      inFlight -= 1;
      schedule();
    }
  };

  return {
    ask: (item) =>
      new Promise<Result>((resolve, reject) => {
        if (waiting.length >= maxWaiting) {
          reject(new BatcherFullError(`${waiting.length} items are already waiting.`));
          return;
        }
        waiting.push({ item, askedAtMs: performance.now(), resolve, reject });
        if (inFlight >= maxInFlight) limitWaiting();
        else schedule();
      }),
  };
}

/** Removes the items that were asked for at or before `askedUntilMs`. */
function takeOverdue<Item, Result>(
  waiting: WaitingItem<Item, Result>[],
  askedUntilMs: number,
): readonly WaitingItem<Item, Result>[] {
  const firstInTime = waiting.findIndex(({ askedAtMs }) => askedAtMs > askedUntilMs);
  return waiting.splice(0, firstInTime === -1 ? waiting.length : firstInTime);
}

function settle<Item, Result>(
  batch: readonly WaitingItem<Item, Result>[],
  results: readonly (Result | Error)[],
): void {
  if (results.length !== batch.length) {
    throw new Error(`A batch of ${batch.length} returned ${results.length} results.`);
  }
  batch.forEach(({ resolve, reject }, index) => {
    const result = results[index];
    if (result instanceof Error) reject(result);
    // The lengths are equal, so there is a result at each index. It may be undefined if that is its type.
    else resolve(result as Result);
  });
}
