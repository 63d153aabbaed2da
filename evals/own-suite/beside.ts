/**
 * Files beside the one that is read: those that it names. The reader need not have a disk: what it asks for and was not
 * given is collected, and whoever has the files sends them with the next attempt.
 */
import { Type } from 'typebox';
import { jsonIn } from '#runtime/json-in.ts';
import { findShapeFaults } from './fault.ts';
import { maxDocumentBytes, maxSuiteImageBytes } from './limits.ts';
import type { DocumentFormat } from './read-document.ts';

/** Names that one file and those it names may ask for. */
const maxFilesBeside = 500;

/**
 * The answers to names that were asked for, relative to the folder of the first file. A file has its text, or null if
 * there is none; an image is a data URL; a pattern such as `tests/*.csv` has the names that match it.
 */
export type FilesGiven = Readonly<Record<string, string | readonly string[] | null>>;

/** The files that were given are too large, or too many are named. */
export class TooManyFilesError extends Error {
  override readonly name: string = 'TooManyFilesError';
}

/** Other files do not begin so. */
const isImage = (given: string) => given.startsWith('data:');

const bytesOf = (texts: readonly string[]) => texts.reduce((sum, each) => sum + Buffer.byteLength(each), 0);

export class FilesBeside {
  readonly #given: ReadonlyMap<string, FilesGiven[string]>;
  /** Whether no file but the first is known. */
  readonly isAlone: boolean;
  readonly #missing = new Set<string>();

  /**
   * @param given undefined if there is no file but the first
   * @throws TooManyFilesError
   */
  constructor(given: FilesGiven | undefined) {
    this.isAlone = given === undefined;
    this.#given = new Map(Object.entries(given ?? {}));
    const texts = [...this.#given.values()].filter((each) => typeof each === 'string');
    const isTooMuch =
      bytesOf(texts.filter((each) => !isImage(each))) > maxDocumentBytes ||
      bytesOf(texts.filter(isImage)) > 1.5 * maxSuiteImageBytes;
    if (isTooMuch)
      throw new TooManyFilesError(
        `The files that the document names have more than ${maxDocumentBytes} bytes together, or its images more than ${maxSuiteImageBytes}. Use fewer or shorter ones.`,
      );
  }

  /**
   * The text of a file; null if there is none, undefined if it was not given yet.
   * @throws TooManyFilesError
   */
  read(name: string): string | null | undefined {
    const given = this.#ask(name);
    if (typeof given === 'string' && !isImage(given)) return given.replace(/^\ufeff/, '');
    return given === undefined ? undefined : null;
  }

  /**
   * The data URL of an image, or the text of another file; null if there is none, undefined if it was not given yet.
   * @throws TooManyFilesError
   */
  readImage(name: string): string | null | undefined {
    const given = this.#ask(name);
    if (typeof given === 'string') return given;
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

  /** What was asked for and not given, sorted. */
  missing(): readonly string[] {
    return [...this.#missing].toSorted();
  }

  #ask(name: string): FilesGiven[string] | undefined {
    const given = this.#given.get(name);
    if (given !== undefined) return given;
    if (this.isAlone) return null;
    this.#missing.add(name);
    if (this.#missing.size + this.#given.size > maxFilesBeside)
      throw new TooManyFilesError(
        `The document and its files name more than ${maxFilesBeside} files. Use fewer.`,
      );
    return undefined;
  }
}

/** A document as it is sent, with the files beside it if the sender has them. */
export interface SentDocument {
  readonly text: string;
  readonly format: DocumentFormat;
  readonly files?: FilesGiven;
}

const formats = ['yaml', 'json', 'jsonl'] as const satisfies readonly DocumentFormat[];

/** Instead of the text of a document: the text, and answers to the names of files in it. */
const DocumentWithFiles = Type.Object(
  {
    text: Type.String({ description: 'The document or the configuration itself.' }),
    format: Type.Optional(Type.Enum(formats, { description: 'Of the text; yaml by default.' })),
    files: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'By name, from the folder of the document: the text of the file, or of an image a data URL; null if there is none, or for a pattern such as `tests/*.csv` the names that match.',
    }),
  },
  { additionalProperties: false },
);

const isAnswer = (value: unknown): value is FilesGiven[string] =>
  value === null ||
  typeof value === 'string' ||
  (Array.isArray(value) && value.every((each) => typeof each === 'string'));

/** @returns what is wrong with it, in a sentence, if it looks like a document with files and cannot be read */
export function openDocument(sent: SentDocument): SentDocument | string {
  if (sent.format !== 'json' || !/^\s*\{/.test(sent.text) || !sent.text.includes('"files"')) return sent;
  const value = jsonIn(sent.text);
  if (typeof value !== 'object' || value === null || !('files' in value) || 'cases' in value) return sent;
  const [fault] = findShapeFaults(DocumentWithFiles, value, [], 'The body');
  if (fault !== undefined) return fault.message;
  // The shape has been checked.
  const { text, format, files } = value as Partial<SentDocument> & { text: string; files: FilesGiven };
  const odd = Object.entries(files).find(([, answer]) => !isAnswer(answer));
  return odd === undefined
    ? { text, format: format ?? 'yaml', files }
    : `\`files\` must have a text, null or a list of names for ${JSON.stringify(odd[0].slice(0, 100))}.`;
}
