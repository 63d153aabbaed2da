/** Repeats a task with a pause between rounds. After a round that found work, the next starts immediately. */
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
  /** Starts the next round at once instead of after its pause. */
  readonly hurry: () => void;
  /** Resolves when the current round has ended. */
  stop(): Promise<void>;
}

/** Rounds without a pause, before other tasks get their turn. */
const roundsInSpellMax = 100;
/** Spreads out sweepers that were started together. */
const jitterShare = 0.1;
/** The longer pauses of all rounds end at ticks, so that a process at rest wakes once for several of them. */
const tickMs = 1_000;
const firstTickMs = Math.random() * tickMs;

export function startRounds({ name, everyMs, logger, work }: RoundsOptions): Rounds {
  const stopping = new AbortController();
  let isHurried = false;
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
      if (!isHurried) await pause();
      isHurried = false;
    }
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pauseMs(everyMs));
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  const running = run();
  return {
    hurry: () => {
      isHurried = true;
      wake?.();
    },
    stop: async () => {
      stopping.abort();
      wake?.();
      await running;
    },
  };
}

function pauseMs(everyMs: number): number {
  const spreadMs = everyMs * (1 + Math.random() * jitterShare);
  if (everyMs < tickMs) return spreadMs;
  const sinceFirstMs = performance.now() - firstTickMs;
  return Math.ceil(Math.round((sinceFirstMs + spreadMs) / tickMs) * tickMs - sinceFirstMs);
}
