/** A rule that a text can be checked against. */
import type { Writing } from '../../grading/read-writing.ts';
import { drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import type { RuleName } from './rule-names.ts';
import wordings from './rule-wordings.json' with { type: 'json' };

/** What a rule demands, before it is put into words. */
export interface Demand {
  readonly name: RuleName;
  /** What its wordings have places for. */
  readonly values: Readonly<Record<string, string | number>>;
  /** What was found instead, or null if the text follows the rule. */
  readonly findFault: (writing: Writing) => string | null;
}

export interface Rule extends Demand {
  /** The wording in the prompt, one or two full sentences. */
  readonly text: string;
}

export function wordRule(random: Random, demand: Demand): Rule {
  return { ...demand, text: fillIn(drawWording(random, wordings[demand.name]), demand.values) };
}

/** Whether both demand the same, in whatever words. */
export function isSame(left: Demand, right: Demand): boolean {
  return left.name === right.name && JSON.stringify(left.values) === JSON.stringify(right.values);
}

export function allWords({ lines }: Writing): string[] {
  return lines.flatMap(({ words }) => words);
}
