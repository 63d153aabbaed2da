/**
 * Reads the files that a suite or a configuration names. The hub says which it needs; a name is answered only if it stands
 * in a text that the hub has been sent, and the file lies in the folder of the first one or in the working directory, so
 * that no hub can ask for anything else.
 */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, posix, relative, resolve, sep } from 'node:path';
import { NotPossible } from './connection.ts';

/** A file has its text, or null if there is none that may be sent; a pattern has the names that match it. */
export type Answers = Record<string, string | readonly string[] | null>;

/** Entries of folders that a pattern looks at. */
const entriesMax = 20_000;

export class FilesBeside {
  readonly answers: Answers = {};
  readonly #folder: string;
  readonly #roots: readonly string[];
  readonly #sent: string[];
  readonly #readText: (path: string) => string;

  /** @param file its folder is where names begin */
  constructor(file: string, text: string, readText = (path: string) => readFileSync(path, 'utf8')) {
    this.#folder = dirname(resolve(file));
    this.#roots = [this.#folder, process.cwd()].map((root) => realpathSync(root));
    this.#sent = [text];
    this.#readText = readText;
  }

  /** @throws NotPossible if a name stands in no text that was sent */
  answer(missing: readonly string[]): void {
    for (const name of missing) {
      if (!this.#sent.some((text) => text.includes(name)))
        throw new NotPossible(
          `The hub asks for the file ${JSON.stringify(name)}, which no text sent to it names. Nothing was sent.`,
        );
      if (!/[*?]/.test(name)) this.#add(name);
      else this.answers[name] = this.#matches(name).filter((each) => this.#add(each));
    }
  }

  /** @returns whether there is such a file */
  #add(name: string): boolean {
    const path = resolve(this.#folder, name);
    const text = this.#mayBeSent(path) ? this.#readText(path) : null;
    this.answers[name] = text;
    if (text !== null) this.#sent.push(text);
    return text !== null;
  }

  #mayBeSent(path: string): boolean {
    if (!existsSync(path) || !statSync(path).isFile()) return false;
    const real = realpathSync(path);
    return this.#roots.some((root) => {
      const inside = relative(root, real);
      return inside.split(sep).every((part) => !part.startsWith('.'));
    });
  }

  #matches(pattern: string): readonly string[] {
    const start = pattern.slice(0, pattern.search(/[*?]/)).replace(/[^/]*$/, '');
    const fits = expressionOf(pattern);
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
        else if (fits.test(name)) found.push(name);
      }
    };
    look(start);
    return found.toSorted();
  }
}

/** `*` and `?` stand for anything in a name, `**` for folders too. */
function expressionOf(pattern: string): RegExp {
  const source = posix
    .normalize(pattern)
    .replaceAll(/[\\^$.+()[\]{}|]/g, '\\$&')
    .replaceAll(/\*\*\/?|\*|\?/g, (mark) => (mark === '?' ? '[^/]' : mark === '*' ? '[^/]*' : '.*'));
  return new RegExp(`^${source}$`, 's');
}
