/** Checks and imports the texts of suites in a thread, so that no text delays other requests, however long it takes. */
import type { CheckedSuite } from '#evals/own-suite/check-suite.ts';
import type { ImportedSuite, ImportFormat, ImportOptions } from '#evals/own-suite/import/import-suite.ts';
import type { DocumentFormat } from '#evals/own-suite/read-document.ts';
import { TaskTooLongError, ThreadBusyError, threadProgram, WorkThread } from '#runtime/work-thread.ts';
import { DomainError } from '../errors.ts';
import type { CheckAnswer, CheckTask } from './check-program.ts';

export interface SuiteChecker {
  /** @throws DomainError grading_busy */
  check(agentId: string, text: string, format: DocumentFormat): Promise<CheckedSuite>;
  /** @throws DomainError grading_busy */
  import(agentId: string, text: string, from: ImportFormat, options: ImportOptions): Promise<ImportedSuite>;
  close(): void;
}

/** The longest document takes about 3 s. The rest is for its sample replies. */
const taskMs = 10_000;
const textsWaitingMax: WaitingMax = { ofAgent: 2, all: 16 };
const retryAfterSeconds = 5;

/** How many texts may wait for the thread. */
interface WaitingMax {
  readonly ofAgent: number;
  readonly all: number;
}

/** The thread starts with the first text. */
export function createSuiteChecker(waitingMax: WaitingMax = textsWaitingMax): SuiteChecker {
  const thread = new WorkThread<CheckTask, CheckAnswer>({
    program: threadProgram('domain', 'suites', 'check-program'),
    data: null,
    taskMs,
    waitingMax,
  });
  return {
    check: async (agentId, text, format) => {
      const answer = await runOr(() => thread.run(agentId, { kind: 'check', text, format }), {
        kind: 'check',
        checked: { ok: false, faults: [{ ...tookTooLong, path: '' }], replies: [] },
      });
      if (answer.kind !== 'check') throw new Error(`The thread returned ${answer.kind}.`);
      return answer.checked;
    },
    import: async (agentId, text, from, options) => {
      const answer = await runOr(() => thread.run(agentId, { kind: 'import', text, from, options }), {
        kind: 'import',
        imported: { ok: false, faults: [tookTooLong] },
      });
      if (answer.kind !== 'import') throw new Error(`The thread returned ${answer.kind}.`);
      return answer.imported;
    },
    close: () => thread.close(),
  };
}

const tookTooLong = {
  line: 1,
  column: 1,
  message: `Checking took longer than ${taskMs / 1_000} seconds. Use fewer sample replies and simpler expressions.`,
};

async function runOr(run: () => Promise<CheckAnswer>, otherwise: CheckAnswer): Promise<CheckAnswer> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof TaskTooLongError) return otherwise;
    if (!(error instanceof ThreadBusyError)) throw error;
    throw new DomainError('grading_busy', 'Too many suites are waiting to be checked.', {
      hint: 'Send one suite at a time, and repeat this request.',
      retryAfterSeconds,
      cause: error,
    });
  }
}
