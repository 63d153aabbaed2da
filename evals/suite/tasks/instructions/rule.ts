/** A rule that a text can be checked against. */
import type { Writing } from '../../grading/read-writing.ts';

export interface Rule {
  /** The skill, such as `acrostic`. */
  readonly name: string;
  /** The wording in the prompt, a full sentence. */
  readonly text: string;
  /** What was found instead, or null if the text follows the rule. */
  readonly findFault: (writing: Writing) => string | null;
}

export function allWords({ lines }: Writing): string[] {
  return lines.flatMap(({ words }) => words);
}

export function ordinal(position: number): string {
  const last = position % 10;
  if (position % 100 >= 11 && position % 100 <= 13) return `${position}th`;
  return `${position}${last === 1 ? 'st' : last === 2 ? 'nd' : last === 3 ? 'rd' : 'th'}`;
}

/** Such as "1, 2 and 3". */
export function listOf(items: readonly (string | number)[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? String(last) : `${items.slice(0, -1).join(', ')} and ${last}`;
}
