/** Checks and imports the texts of suites in the place, so that no text delays or ends anything else, whatever it takes. */
import type { CheckedSuite, SuiteFault } from '#evals/own-suite/check-suite.ts';
import { maxDocumentBytes } from '#evals/own-suite/limits.ts';
import type { ImportedSuite, ImportFormat, ImportOptions } from '#evals/own-suite/import/import-suite.ts';
import type { DocumentFormat } from '#evals/own-suite/read-document.ts';
import { TaskTooLargeError, TaskTooLongError } from '#runtime/place/child-program.ts';
import { placeMemoryMb } from '#runtime/place/work-place.ts';
import type { ActingAgent } from '../context.ts';
import { claimantOf } from '../agents/find-agent.ts';
import type { Place } from '../place/open-place.ts';
import type { CheckAnswer, CheckTask } from './perform-check.ts';

export interface SuiteChecker {
  /**
   * For callers that have not read the text yet.
   *
   * @throws DomainError grading_busy if a text of this length would be turned away now
   */
  requireRoom(agent: ActingAgent, length: number): void;
  /** @throws DomainError grading_busy */
  check(agent: ActingAgent, text: string, format: DocumentFormat): Promise<CheckedSuite>;
  /** @throws DomainError grading_busy */
  import(
    agent: ActingAgent,
    text: string,
    from: ImportFormat,
    options: ImportOptions,
  ): Promise<ImportedSuite>;
}

/** The longest document takes about 3 s. The rest is for its sample replies. */
const cpuMs = 10_000;
/** A text waits in the room of one reply for this many characters, which are in memory meanwhile. */
const charactersOfRoom = maxDocumentBytes / 32;

const roomOf = (length: number): number => Math.max(1, Math.ceil(length / charactersOfRoom));

export function createSuiteChecker(place: Pick<Place, 'check' | 'requireRoom'>): SuiteChecker {
  const perform = async (agent: ActingAgent, task: CheckTask): Promise<CheckAnswer | SuiteFault> => {
    try {
      return await place.check(claimantOf(agent), task, { cpuMs, room: roomOf(task.text.length) });
    } catch (error) {
      if (error instanceof TaskTooLongError) return { ...atStart, message: tookTooLong };
      if (error instanceof TaskTooLargeError) return { ...atStart, message: wasTooLarge };
      throw error;
    }
  };
  return {
    requireRoom: (agent, length) => place.requireRoom(claimantOf(agent), roomOf(length)),
    check: async (agent, text, format) => {
      const answer = await perform(agent, { kind: 'check', text, format });
      if ('message' in answer) return { ok: false, faults: [answer], replies: [] };
      if (answer.kind !== 'check') throw new Error(`The place returned ${answer.kind}.`);
      return answer.checked;
    },
    import: async (agent, text, from, options) => {
      const answer = await perform(agent, { kind: 'import', text, from, options });
      if ('message' in answer) return { ok: false, faults: [answer] };
      if (answer.kind !== 'import') throw new Error(`The place returned ${answer.kind}.`);
      return answer.imported;
    },
  };
}

const atStart = { line: 1, column: 1, path: '' };
const tookTooLong = `Checking took longer than ${cpuMs / 1_000} seconds. Use fewer sample replies and simpler expressions.`;
const wasTooLarge = `Checking needed more than ${placeMemoryMb} MB of memory. Use fewer values, or several suites.`;
