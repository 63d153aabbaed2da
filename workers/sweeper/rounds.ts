/** Repeats a task with a pause between rounds. After a round that found work, the next starts at once. */
import { isStoreFrozen } from '#db/errors.ts';
import type { Logger } from '#runtime/tracing/log.ts';

export interface RoundsOptions {
  /** For the log. */
  readonly name: string;
  readonly everyMs: number;
  readonly logger: Logger;
  /** Does a bounded amount of work and returns how much; 0 ends the burst. */
  readonly work: () => Promise<number>;
}

export interface Rounds {
  /** Resolves when the current round has ended. */
  stop(): Promise<void>;
}

/** Rounds without a pause, before other tasks get their turn. */
const roundsInSpellMax = 100;
/** Spreads out sweepers that were started together. */
const jitterShare = 0.1;

export function startRounds({ name, everyMs, logger, work }: RoundsOptions): Rounds {
  const stopping = new AbortController();
  let wake: (() => void) | undefined;

  async function spell(): Promise<void> {
    for (let round = 0; round < roundsInSpellMax && !stopping.signal.aborted; round += 1) {
      if ((await work()) === 0) return;
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await spell();
      } catch (err) {
        // The next round tries again, and the operator knows.
        if (!isStoreFrozen(err))
          logger.warn({ err, round: name }, 'a sweeper round failed; the next one tries again');
      }
      if (stopping.signal.aborted) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, everyMs * (1 + Math.random() * jitterShare));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      wake?.();
      await running;
    },
  };
}
