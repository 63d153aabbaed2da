/**
 * Reads the files that a suite or a configuration names. The hub says which it needs; a name is answered only if it stands
 * in a text that the hub has been sent, and the file lies in the folder of the first one or in the working directory, so
 * that no hub can ask for anything else.
 */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, posix, relative, resolve, sep } from 'node:path';
import { NotPossible } from './connection.ts';
import { fileState } from './watch.ts';

/** A file has its text, an image a data URL, or null if there is none that may be sent; a pattern has the names that match it. */
export type Answers = Record<string, string | readonly string[] | null>;

/** Entries of folders that a pattern looks at. */
const entriesMax = 20_000;
/** What a hub takes. */
const filesMax = 500;
const bytesMax = 15 * 1024 * 1024;

export class FilesBeside {
  /** Without a prototype, because `__proto__` may be a name. */
  readonly answers = Object.create(null) as Answers;
  /** By the path of each file that was named, what it was like before it was read. */
  readonly states = new Map<string, string>();
  readonly #folder: string;
  readonly #roots: readonly string[];
  readonly #sent: string[];
  readonly #readText: (path: string) => string;
  #bytesLeft = bytesMax;

  /** @param file its folder is where names begin */
  constructor(file: string, text: string, readText = readUtf8) {
    this.#folder = dirname(resolve(file));
    this.#roots = [this.#folder, process.cwd()].map((root) => realpathSync(root));
    this.#sent = [text];
    this.#readText = readText;
  }

  /** @throws NotPossible if a name stands in no text that was sent, was answered, or is one too many */
  answer(missing: readonly unknown[]): void {
    if (missing.length === 0) throw new NotPossible('The hub misses files and names none.');
    const answered = new Set(Object.keys(this.answers));
    for (const name of missing) {
      if (typeof name !== 'string' || !this.#sent.some((text) => names(text, name)))
        throw new NotPossible(
          `The hub asks for the file ${JSON.stringify(name)}, which no text sent to it names.`,
        );
      if (answered.has(name))
        throw new NotPossible(`The hub asks for the file ${JSON.stringify(name)} again.`);
      if (!/[*?]/.test(name)) this.#add(name);
      else this.answers[name] = this.#matches(name).filter((each) => this.#add(each));
    }
  }

  /** @returns whether there is such a file */
  #add(name: string): boolean {
    // A pattern may match what was named.
    if (Object.hasOwn(this.answers, name)) return typeof this.answers[name] === 'string';
    if (Object.keys(this.answers).length >= filesMax)
      throw new NotPossible(`A file may name at most ${filesMax} others.`);
    const path = resolve(this.#folder, name);
    this.states.set(path, fileState(path));
    const isSent = this.#mayBeSent(path);
    const image = isSent ? dataUrlOf(path) : null;
    const text = isSent && image === null ? this.#readText(path) : null;
    this.answers[name] = image ?? text;
    if (text !== null) this.#sent.push(text);
    return isSent;
  }

  #mayBeSent(path: string): boolean {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile() !== true) return false;
    const real = realpathSync(path);
    const isInside = this.#roots.some((root) => {
      const inside = relative(root, real);
      return !isAbsolute(inside) && inside.split(sep).every((part) => !part.startsWith('.'));
    });
    if (!isInside) return false;
    this.#bytesLeft -= found.size;
    if (this.#bytesLeft < 0)
      throw new NotPossible(`With ${path}, the files named have more than ${bytesMax} bytes together.`);
    return true;
  }

  #matches(pattern: string): readonly string[] {
    const start = pattern.slice(0, pattern.search(/[*?]/)).replace(/[^/]*$/, '');
    const wanted = posix.normalize(pattern);
    const found: string[] = [];
    let left = entriesMax;
    const look = (folder: string): void => {
      const at = resolve(this.#folder, folder);
      if (!existsSync(at)) return;
      for (const entry of readdirSync(at, { withFileTypes: true })) {
        left -= 1;
        if (left < 0 || entry.name.startsWith('.') || entry.name === 'node_modules') continue;
        const name = posix.join(folder, entry.name);
        if (entry.isDirectory()) look(name);
        else if (fits(wanted, name)) found.push(name);
      }
    };
    look(start);
    return found.toSorted();
  }
}

/** @throws NotPossible for a file in another encoding, whose texts would become others */
export function readUtf8(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new NotPossible(`${path} is not UTF-8. Save it as UTF-8.`);
  }
}

/** The images that a hub takes, by their first bytes in hex. */
const imageTypes: readonly (readonly [type: string, beginning: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
];

/** @returns null if the file is no image */
function dataUrlOf(path: string): string | null {
  const data = readFileSync(path);
  const beginning = data.subarray(0, 16).toString('hex');
  const [type] = imageTypes.find(([, form]) => form.test(beginning)) ?? [];
  return type === undefined ? null : `data:${type};base64,${data.toString('base64')}`;
}

/** Whether a text has the name as a whole, not within a word or a longer path. A word is one only after `file://`. */
function names(text: string, name: string): boolean {
  if (!/[\p{L}\p{N}_]/u.test(name)) return false;
  const marked = /[./]/.test(name) ? '?' : '';
  // A registry of OpenAI Evals has its samples there.
  const literal = name.replace(/^\.\.\/data\//, '').replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  return new RegExp(
    String.raw`(?<![^\s"'\[{,:])(?:file:\/\/)${marked}(?:\.\/)?${literal}(?![^\s"'\]},:#])`,
    'u',
  ).test(text);
}

/** `*` and `?` stand for anything in a name, `**` for folders too. Takes time in proportion to both, not to their power. */
function fits(pattern: string, name: string): boolean {
  const marks = pattern.match(/\*\*\/?|[^]/gu) ?? [];
  const letters = Array.from(name);
  let ends = [true, ...letters.map(() => false)];
  for (const mark of marks) {
    const before = ends;
    const isStar = mark.startsWith('*');
    ends = before.map(() => false);
    for (let at = 0; at <= letters.length; at += 1) {
      const last = letters[at - 1];
      const reads = mark === '?' || mark === '*' ? last !== '/' : isStar || last === mark;
      ends[at] = isStar
        ? before[at] === true || (at > 0 && ends[at - 1] === true && reads)
        : at > 0 && before[at - 1] === true && reads;
    }
  }
  return ends[letters.length] === true;
}
