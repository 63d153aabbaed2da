/** What an import may make of a file. Everything is counted before it is made. */
import { nameOf, type Path } from '../fault.ts';
import { maxCases, maxDocumentBytes, maxTokens } from '../limits.ts';
import type { TokenBudget } from '../read-document.ts';

/** The file would become too large. `path` leads to the field that multiplies. */
export class ImportTooLargeError extends Error {
  override readonly name: string = 'ImportTooLargeError';
  readonly path: Path;

  constructor(path: Path, message: string) {
    super(message);
    this.path = path;
  }
}

/** Variables and assertions of all cases, each counted in each case that has it. */
const maxImportParts = 200_000;
/** Texts are read, filled in and compared a few times on their way into a case. */
const maxImportCharacters = 4 * maxDocumentBytes;
/** Times that files are read, one that is named twice counted twice. */
const maxImportReads = 20_000;

const bounds = {
  cases: {
    max: maxCases,
    problem: (made: number) =>
      `the cases up to here are ${made}, and a suite has at most ${maxCases}. Shorten lists of variables, prompts or tests, or import the file in parts.`,
  },
  parts: {
    max: maxImportParts,
    problem: () =>
      `the variables and assertions of all cases up to here are more than ${maxImportParts}. Use fewer of them in each test, or import the file in parts.`,
  },
  reads: {
    max: maxImportReads,
    problem: () =>
      `files are named more than ${maxImportReads} times up to here. Name each file less often, or import the file in parts.`,
  },
  /** Of texts that are read or made on the way. */
  characters: {
    max: maxImportCharacters,
    problem: () =>
      `filling in variables makes more than ${maxImportCharacters} characters. Name variables less often inside each other.`,
  },
  /** Characters of the texts of cases. */
  written: {
    max: maxDocumentBytes,
    problem: () =>
      `the cases up to here have more than ${maxDocumentBytes} characters, and a suite has at most as many bytes. Use shorter prompts and assertions, or import the file in parts.`,
  },
} as const;

export class ImportBudget {
  readonly tokens: TokenBudget = { left: maxTokens };
  readonly #spent = { cases: 0, parts: 0, reads: 0, characters: 0, written: 0 };

  /** @throws ImportTooLargeError */
  spend(what: keyof typeof bounds, count: number, path: Path, name = nameOf(path)): void {
    this.#spent[what] += count;
    const made = this.#spent[what];
    const { max, problem } = bounds[what];
    if (made > max) throw new ImportTooLargeError(path, `${name}: ${problem(made)}`);
  }
}
