/** What an import loses, listed up to a bound and counted beyond it. */
import { maxLeftOut } from '../limits.ts';

/** A construct of the source without a counterpart in a suite. Nothing is dropped without one of these. */
export interface Lost {
  /** The file beside the source in which it stands; undefined for the source itself. */
  readonly file?: string;
  /** From 1. */
  readonly line: number;
  /** As the source names it, such as `assert: llm-rubric`. */
  readonly construct: string;
  readonly why: string;
}

/** Entries of the list. A file of 5 MB can lose a hundred times as many. */
const maxLost = 5_000;
const maxConstructCharacters = 200;

export class LostList {
  #leftOut = 0;
  readonly #listed = new Map<string, Lost>();
  #rest = 0;

  /** The same loss in the same line counts once. */
  add(line: number, given: string, why: string, file?: string): void {
    const construct = given.slice(0, maxConstructCharacters);
    const key = `${file ?? ''} ${line} ${construct} ${why}`;
    if (this.#listed.has(key)) return;
    const place = file === undefined ? { line } : { file, line };
    if (this.#listed.size < maxLost) this.#listed.set(key, { ...place, construct, why });
    else this.#rest += 1;
  }

  /** @param cases of the source that the suite will not have, as far as they are known */
  leaveOut(cases = 1): void {
    this.#leftOut = Math.min(maxLeftOut, this.#leftOut + cases);
  }

  get leftOut(): number {
    return this.#leftOut;
  }

  /** By file and line. If there are more than the list can have, the last entry says how many. */
  entries(): readonly Lost[] {
    const listed = [...this.#listed.values()].toSorted(
      (one, other) => (one.file ?? '').localeCompare(other.file ?? '') || one.line - other.line,
    );
    if (this.#rest === 0) return listed;
    const why = `At most ${maxLost} losses are listed. Import the file in parts to see the others.`;
    return [...listed, { line: listed.at(-1)?.line ?? 1, construct: `${this.#rest} more`, why }];
  }
}
