/** Repeats a piece of work with a pause between the rounds; a round that found work is followed by the next at once. */
import type { Logger } from '#runtime/tracing/log.ts';

export interface RoundsOptions {
  /** For the log. */
  readonly name: string;
  readonly everyMs: number;
  readonly logger: Logger;
  /** Does a bounded piece of work and says how much there was; 0 ends the spell. */
  readonly work: () => Promise<number>;
}

export interface Rounds {
  /** Resolves when the round under way has ended. */
  stop(): Promise<void>;
}

/** Rounds in one spell; then the others get their turn. */
const roundsInSpellMax = 100;
/** Sweepers that were started together drift apart. */
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
        logger.warn({ err, round: name }, 'a round of the sweeper failed; the next one tries again');
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
