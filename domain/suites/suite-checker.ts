/** Checks and imports the texts of suites in the place, so that no text delays or ends anything else, whatever it takes. */
import type { CheckedSuite, SuiteFault } from '#evals/own-suite/check-suite.ts';
import type { ImportedSuite, ImportOptions } from '#evals/own-suite/import/import-suite.ts';
import type { DocumentFormat } from '#evals/own-suite/read-document.ts';
import { TaskTooLargeError, TaskTooLongError } from '#runtime/place/child-program.ts';
import { placeMemoryMb } from '#runtime/place/work-place.ts';
import type { ActingAgent } from '../context.ts';
import { claimantOf } from '../agents/find-agent.ts';
import type { Place } from '../place/open-place.ts';
import type { CheckAnswer, CheckTask } from './perform-check.ts';

type SentImport = Pick<Extract<CheckTask, { kind: 'import' }>, 'text' | 'isJson' | 'from'>;

export interface SuiteChecker {
  /** @throws DomainError busy */
  check(asker: Asker, text: string, format: DocumentFormat): Promise<CheckedSuite>;
  /** @throws DomainError busy */
  import(asker: Asker, sent: SentImport, options: ImportOptions): Promise<ImportedSuite>;
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
  const perform = async ({ agent, signal }: Asker, task: CheckTask): Promise<CheckAnswer | SuiteFault> => {
    const isLong = task.text.length > quickCharactersMax;
    try {
      return await place.check(claimantOf(agent), task, { cpuMs, isLong, signal: signal() });
    } catch (error) {
      if (error instanceof TaskTooLongError) return { ...atStart, message: tookTooLong };
      if (error instanceof TaskTooLargeError) return { ...atStart, message: wasTooLarge };
      throw error;
    }
  };
  return {
    check: async (asker, text, format) => {
      const answer = await perform(asker, { kind: 'check', text, format });
      if ('message' in answer) return { ok: false, faults: [answer], replies: [] };
      if (answer.kind !== 'check') throw new Error(`The place returned ${answer.kind}.`);
      return answer.checked;
    },
    import: async (asker, sent, options) => {
      const answer = await perform(asker, { kind: 'import', ...sent, options });
      if ('message' in answer) return { ok: false, faults: [answer] };
      if (answer.kind !== 'import') throw new Error(`The place returned ${answer.kind}.`);
      return answer.imported;
    },
  };
}

const atStart = { line: 1, column: 1, path: '' };
const tookTooLong = `Checking took longer than ${cpuMs / 1_000} seconds. Use fewer sample replies and simpler expressions.`;
const wasTooLarge = `Checking needed more than ${placeMemoryMb} MB of memory. Use fewer values, or several suites.`;
