/** What an import may make of a file. Everything is counted before it is made. */
import type { Path } from '../fault.ts';
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

/** Texts are read, filled in and compared a few times on their way into a case. */
const maxImportCharacters = 4 * maxDocumentBytes;
/** Variables and assertions of all cases, each counted in each case that has it. */
const maxImportParts = 200_000;

export class ImportBudget {
  readonly tokens: TokenBudget = { left: maxTokens };
  #cases = 0;
  #parts = maxImportParts;
  #characters = maxImportCharacters;
  #written = maxDocumentBytes;

  /** @throws ImportTooLargeError */
  spendCases(count: number, path: Path, name: string): void {
    this.#cases += count;
    if (this.#cases <= maxCases) return;
    throw new ImportTooLargeError(
      path,
      `${name}: the cases up to here are ${this.#cases}, and a suite has at most ${maxCases}. Shorten lists of variables, prompts or tests, or import the file in parts.`,
    );
  }

  /** @throws ImportTooLargeError */
  spendParts(count: number, path: Path, name: string): void {
    this.#parts -= count;
    if (this.#parts >= 0) return;
    throw new ImportTooLargeError(
      path,
      `${name}: the variables and assertions of all cases up to here are more than ${maxImportParts}. Use fewer of them in each test, or import the file in parts.`,
    );
  }

  /** For texts that are read or made on the way. @throws ImportTooLargeError */
  spendCharacters(count: number, path: Path, name: string): void {
    this.#characters -= count;
    if (this.#characters >= 0) return;
    throw new ImportTooLargeError(
      path,
      `${name}: filling in variables makes more than ${maxImportCharacters} characters. Name variables less often inside each other.`,
    );
  }

  /** For the texts of cases. @throws ImportTooLargeError */
  write(count: number, path: Path, name: string): void {
    this.#written -= count;
    if (this.#written >= 0) return;
    throw new ImportTooLargeError(
      path,
      `${name}: the cases up to here have more than ${maxDocumentBytes} characters, and a suite has at most as many bytes. Use shorter prompts and assertions, or import the file in parts.`,
    );
  }
}
