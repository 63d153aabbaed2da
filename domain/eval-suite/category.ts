import type { CaseDraft } from './eval-case.ts';
import type { Grader } from './graders/grader.ts';
import type { Random } from './random.ts';

/** A group of tasks. `categories/<name>/category.ts` exports it under the name `category`; nothing else lists it. */
export interface Category {
  /** Lower-case letters, the same as its folder. Also the prefix of its case ids. */
  readonly name: string;
  /** One line for the scorecard: what a good score here says about an agent. */
  readonly description: string;
  /** Position in the run and on the scorecard, ascending. */
  readonly order: number;
  /** Percentage of the suite's score, a whole number. The weights of all categories sum to 100. */
  readonly weight: number;
  readonly caseCount: number;
  /** Every grader that its cases name. Categories may share a grader. */
  readonly graders: readonly Grader[];
  /** Makes exactly `caseCount` cases of all three difficulties. `random` is the only source of randomness. */
  generate(random: Random): readonly CaseDraft[];
}
