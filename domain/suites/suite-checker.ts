/** Checks and imports the texts of suites in the place, so that no text delays or ends anything else, whatever it takes. */
import type { CheckedSuite, FaultySuite } from '#evals/own-suite/check-suite.ts';
import type { ImportedSuite } from '#evals/own-suite/import/import-suite.ts';
import { TaskTooLargeError, TaskTooLongError } from '#runtime/place/child-program.ts';
import { placeMemoryMb } from '#runtime/place/work-place.ts';
import { claimantOf } from '#runtime/turns/turns.ts';
import type { ActingAgent } from '../context.ts';
import type { Place } from '../place/open-place.ts';
import type { CheckAnswer, CheckTask, SentText } from './perform-check.ts';

type SentImport = Omit<Extract<CheckTask, { kind: 'import' }>, 'kind'>;

export interface SuiteChecker {
  /** @throws DomainError busy */
  check(asker: Asker, sent: SentText): Promise<CheckedSuite>;
  /** @throws DomainError busy */
  import(asker: Asker, sent: SentImport): Promise<ImportedSuite>;
}

export interface Asker {
  readonly agent: ActingAgent;
  /** Aborts when the agent no longer waits. */
  readonly signal: () => AbortSignal;
}

/** The longest document takes about 3 s. The rest is for its sample replies. */
const cpuMs = 10_000;
/** A longer text takes longer than quick work. */
const quickCharactersMax = 64 * 1024;

export function createSuiteChecker(place: Pick<Place, 'check'>): SuiteChecker {
  const perform = async <Task extends CheckTask>(
    { agent, signal }: Asker,
    task: Task,
  ): Promise<CheckAnswer<Task> | FaultySuite> => {
    const isLong = task.text.length > quickCharactersMax;
    try {
      return await place.check(claimantOf(agent), task, { cpuMs, isLong, signal: signal() });
    } catch (error) {
      if (error instanceof TaskTooLongError) return faulty(tookTooLong);
      if (error instanceof TaskTooLargeError) return faulty(wasTooLarge);
      throw error;
    }
  };
  return {
    check: (asker, sent) => perform(asker, { kind: 'check', ...sent }),
    import: (asker, sent) => perform(asker, { kind: 'import', ...sent }),
  };
}

const faulty = (message: string): FaultySuite => ({
  ok: false,
  faults: [{ line: 1, column: 1, path: '', message }],
  replies: [],
});
const tookTooLong = `Checking took longer than ${cpuMs / 1_000} seconds. Use fewer sample replies and simpler expressions.`;
const wasTooLarge = `Checking needed more than ${placeMemoryMb} MB of memory. Use fewer values, or several suites.`;
