/** What a file in `categories/` exports: one group of tasks with its share of the score and its generator. */
import type { CaseDraft } from './eval-case.ts';
import type { Random } from './random.ts';

/** One group of tasks. Its file exports it under the name `category`. */
export interface Category {
  /** Lower case; also the prefix of its case ids. */
  readonly name: string;
  /** One line for the scorecard: what a good score here says about an agent. */
  readonly description: string;
  /** Place in the run and on the scorecard, ascending. */
  readonly order: number;
  /** Share of the suite; the shares of version 1 sum to 100. */
  readonly weight: number;
  readonly caseCount: number;
  /** Makes exactly `caseCount` cases, all chance drawn from `random`. */
  generate(random: Random): readonly CaseDraft[];
}
