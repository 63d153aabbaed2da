/** The types that the parts of the reader share. */

export type AnswerType = 'number' | 'word' | 'list' | 'set' | 'date' | 'time' | 'digits' | 'line';

/**
 * A value as read: a number in decimal digits, a date as `YYYY-MM-DD`, a time as `HH:MM`, digits in upper case, and the
 * items of a list or set.
 */
export type AnswerValue = string | readonly string[];

export interface ReadOptions {
  /** Words in lower case that may follow a number, such as `crates`. Any other unit is rejected. */
  readonly units?: readonly string[];
  /**
   * The base of `digits`. Without it, decimal digits are read, or hexadecimal ones if there is a decimal digit among
   * them.
   */
  readonly base?: number;
}

/** Why a reply contains no valid answer. */
export type Unreadable =
  | 'empty'
  | 'too long'
  | 'unfinished reasoning'
  | 'nothing of the right type'
  | 'hedged or retracted'
  | 'several candidates';

/** One reading. `others` are the same text with less wrapping removed, for lines whose own text looks like wrapping. */
export interface Reading {
  readonly value: AnswerValue;
  readonly others?: readonly string[];
}

export type ReadAnswer =
  | ({ readonly ok: true; readonly loose: string } & Reading)
  | { readonly ok: false; readonly reason: Unreadable; readonly loose: string };

/** The grammar of one type: the value if `text` is exactly one value, otherwise null. */
export type Parse = (text: string) => AnswerValue | null;

/** What to look for in a reply. */
export interface Grammar {
  readonly type: AnswerType;
  readonly parse: Parse;
  /** The number of characters that may still be read, which bounds hostile nesting. */
  readonly work: { left: number };
}

/** The result of reading part of a reply; `loose` is the text that was searched for the answer. */
export type Outcome =
  | { readonly reading: Reading; readonly loose: string }
  | { readonly reason: Unreadable; readonly loose: string };
