/**
 * Turns many small questions of one turn of the event loop into one larger question. A lone question waits for
 * nothing but the end of its turn; under load the batches grow with it.
 */

export interface Batcher<Item, Result> {
  /**
   * @throws BatcherFullError when too many questions wait already, or this one has waited for too long; it was not put
   * then. Otherwise whatever the batch, or this item, ended with.
   */
  ask(item: Item): Promise<Result>;
}

export interface BatcherOptions<Item, Result> {
  readonly maxBatch: number;
  /** Batches under way at the same time; further questions gather meanwhile. */
  readonly maxInFlight?: number;
  /** Questions that may wait; one more is refused. */
  readonly maxWaiting?: number;
  /** How long a question may wait for a batch that has room, before it is refused. */
  readonly maxWaitMs?: number;
  /** Answers in the order of `items`; an `Error` among them fails that item alone, a rejection fails them all. */
  readonly handle: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
}

export class BatcherFullError extends Error {
  override readonly name = 'BatcherFullError';
}

interface Question<Item, Result> {
  readonly item: Item;
  readonly askedAtMs: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

const defaultMaxInFlight = 4;
const defaultMaxWaiting = 10_000;
/** Batches that take longer than this are stuck: whoever waits behind them learns of it while it is still worth knowing. */
const defaultMaxWaitMs = 2_000;

export function createBatcher<Item, Result>({
  maxBatch,
  maxInFlight = defaultMaxInFlight,
  maxWaiting = defaultMaxWaiting,
  maxWaitMs = defaultMaxWaitMs,
  handle,
}: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  let waiting: Question<Item, Result>[] = [];
  let inFlight = 0;
  let scheduled = false;
  let patience: ReturnType<typeof setTimeout> | null = null;

  const schedule = (): void => {
    if (scheduled || waiting.length === 0 || inFlight >= maxInFlight) return;
    scheduled = true;
    setImmediate(start);
  };

  /** One timer for all that wait: for the first of them, then for whoever is first by then. */
  const limitWaiting = (): void => {
    const [first] = waiting;
    if (patience !== null || first === undefined) return;
    patience = setTimeout(refuseOverdue, Math.max(1, first.askedAtMs + maxWaitMs - performance.now()));
  };

  const refuseOverdue = (): void => {
    patience = null;
    const askedBeforeMs = performance.now() - maxWaitMs;
    const firstInTime = waiting.findIndex(({ askedAtMs }) => askedAtMs > askedBeforeMs);
    const overdue = waiting.splice(0, firstInTime === -1 ? waiting.length : firstInTime);
    for (const { reject } of overdue) {
      reject(new BatcherFullError(`The question has waited for ${maxWaitMs} ms.`));
    }
    limitWaiting();
  };

  const start = (): void => {
    scheduled = false;
    while (waiting.length > 0 && inFlight < maxInFlight) {
      const batch = waiting.length <= maxBatch ? waiting : waiting.slice(0, maxBatch);
      waiting = waiting.length <= maxBatch ? [] : waiting.slice(maxBatch);
      inFlight += 1;
      void run(batch);
    }
    if (waiting.length > 0) limitWaiting();
  };

  const run = async (batch: readonly Question<Item, Result>[]): Promise<void> => {
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
          reject(new BatcherFullError(`${waiting.length} questions wait for an answer already.`));
          return;
        }
        waiting.push({ item, askedAtMs: performance.now(), resolve, reject });
        if (inFlight >= maxInFlight) limitWaiting();
        else schedule();
      }),
  };
}

function settle<Item, Result>(
  batch: readonly Question<Item, Result>[],
  results: readonly (Result | Error)[],
): void {
  if (results.length !== batch.length) {
    throw new Error(`A batch of ${batch.length} was answered with ${results.length} results.`);
  }
  batch.forEach(({ resolve, reject }, index) => {
    const result = results[index];
    if (result instanceof Error) reject(result);
    // The lengths are the same, so there is a result at each index; it may be undefined if that is its type.
    else resolve(result as Result);
  });
}
