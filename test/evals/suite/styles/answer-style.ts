/** The interface between answer styles, whose author has not seen the reader, and the tests that use them. */

/** A right answer, by type. `text` is the canonical form the prompt asks for. */
export type StyledAnswer =
  | { readonly type: 'number'; readonly value: number; readonly text: string }
  | { readonly type: 'word'; readonly value: string; readonly text: string }
  | { readonly type: 'list'; readonly value: readonly string[]; readonly text: string }
  | { readonly type: 'set'; readonly value: readonly string[]; readonly text: string }
  | { readonly type: 'date'; readonly value: string; readonly text: string } // YYYY-MM-DD
  | { readonly type: 'time'; readonly value: string; readonly text: string } // HH:MM
  | { readonly type: 'digits'; readonly value: string; readonly text: string } // leading zeros count
  | { readonly type: 'line'; readonly value: string; readonly text: string }; // one line, case counts

/** Draws from a list, the same way for the same seed. */
export type Pick = <Item>(items: readonly Item[]) => Item;

export interface AnswerStyle {
  /** Short, unique, kebab-case. */
  readonly name: string;
  /** Types it can dress; default all. */
  readonly types?: readonly StyledAnswer['type'][];
  /** A whole reply that a competent agent or model could send. */
  write(answer: StyledAnswer, pick: Pick): string;
}

/** For styles that put punctuation directly after the answer, where it could be taken for a part of the line. */
export const allButLine: NonNullable<AnswerStyle['types']> = [
  'number',
  'word',
  'list',
  'set',
  'date',
  'time',
  'digits',
];

/** For styles that put a dash directly before the answer, where it could be taken for a minus sign. */
export const allButNumber: NonNullable<AnswerStyle['types']> = [
  'word',
  'list',
  'set',
  'date',
  'time',
  'digits',
  'line',
];
