/**
 * Files beside the one that is read: those that it names. The reader need not have a disk: what it asks for and was not
 * given is collected, and whoever has the files sends them with the next attempt.
 */
import { maxDocumentBytes } from './limits.ts';

/** Names that one file and those it names may ask for. */
export const maxFilesBeside = 500;

/**
 * The answers to names that were asked for, relative to the folder of the first file. A file has its text, or null if
 * there is none; a pattern such as `tests/*.csv` has the names that match it.
 */
export type FilesGiven = Readonly<Record<string, string | readonly string[] | null>>;

/** The files that were given are too large, or too many are named. */
export class TooManyFilesError extends Error {
  override readonly name: string = 'TooManyFilesError';
}

export class FilesBeside {
  readonly #given: ReadonlyMap<string, FilesGiven[string]>;
  readonly #isAlone: boolean;
  readonly #missing = new Set<string>();

  /**
   * @param given undefined if there is no file but the first
   * @throws TooManyFilesError
   */
  constructor(given: FilesGiven | undefined) {
    this.#isAlone = given === undefined;
    this.#given = new Map(Object.entries(given ?? {}));
    const bytes = [...this.#given.values()].reduce<number>(
      (sum, each) => sum + (typeof each === 'string' ? Buffer.byteLength(each) : 0),
      0,
    );
    if (bytes > maxDocumentBytes)
      throw new TooManyFilesError(`The files named must have at most ${maxDocumentBytes} bytes together.`);
  }

  /**
   * The text of a file; null if there is none, undefined if it was not given yet.
   * @throws TooManyFilesError
   */
  read(name: string): string | null | undefined {
    const given = this.#ask(name);
    if (typeof given === 'string') return given.replace(/^\ufeff/, '');
    return given === undefined ? undefined : null;
  }

  /**
   * The names that match a pattern with `*`; undefined if it was not answered yet.
   * @throws TooManyFilesError
   */
  match(pattern: string): readonly string[] | undefined {
    const given = this.#ask(pattern);
    if (given === undefined) return undefined;
    return typeof given === 'string' || given === null ? [] : given;
  }

  /** Whether no file but the first is known. */
  get isAlone(): boolean {
    return this.#isAlone;
  }

  /** What was asked for and not given, sorted. */
  missing(): readonly string[] {
    return [...this.#missing].toSorted();
  }

  #ask(name: string): FilesGiven[string] | undefined {
    const given = this.#given.get(name);
    if (given !== undefined) return given;
    if (this.#isAlone) return null;
    this.#missing.add(name);
    if (this.#missing.size + this.#given.size > maxFilesBeside)
      throw new TooManyFilesError(`A file may name at most ${maxFilesBeside} others.`);
    return undefined;
  }
}
