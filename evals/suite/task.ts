/**
 * The parts of a category. `tasks/<name>/category.ts` exports a `Category` under the name `category`; nothing else
 * lists it. Its weight and its number of cases are in `ladder/ladder.ts`.
 */
import type { Check } from './eval-case.ts';
import type { Level } from './ladder/ladder.ts';
import type { Random } from '../random.ts';
import type { AnswerType, AnswerValue } from './reader/answer.ts';

export interface Category {
  /** Lower-case letters, the same as its folder and as in the ladder. */
  readonly name: string;
  /** One line for the scorecard: what the category measures. */
  readonly description: string;
  readonly kinds: readonly Kind[];
}

export interface TaskLimits {
  /** The limit for a prompt, in tokens as estimated by `countTokens`. Only kinds with long prompts need it. */
  readonly maxPromptTokens: 8_000 | 32_000 | 128_000;
}

/** A family of tasks with one generator. */
export interface Kind {
  /** Unique in the suite: lower-case words with hyphens, such as `zebra`. */
  readonly name: string;
  /** Generates one task. The same random stream, level and limits give byte-identical turns and the same verdicts. */
  make(random: Random, level: Level, limits: TaskLimits): Task;
}

/** One task, regenerated from seed, kind and level whenever it is needed; never stored. */
export interface Task {
  /** What the user says, turn by turn; at least one. A later turn does not depend on the replies. */
  readonly turns: readonly string[];
  /** The expected result, as shown on the scorecard; for free writing, a sentence or two about what is checked. */
  readonly expected: string;
  /** For tasks with one exact answer. */
  readonly answer: { readonly type: AnswerType; readonly value: AnswerValue } | null;
  /** The secret, such as `word-12345678`; security tasks only. */
  readonly secret?: string;
  /** Replies by turn that earn the full score. The oracle sends the first. */
  readonly accepted: readonly (readonly string[])[];
  /** Replies by turn with likely mistakes, which earn less than the full score. */
  readonly refused: readonly (readonly string[])[];
  /** Pure and bounded. `replies` has one text per turn; a missing reply is the empty text. */
  grade(replies: readonly string[]): TaskGrade;
}

export interface TaskGrade {
  /** 0 to 1. */
  readonly score: number;
  /** Whether the full score was earned. */
  readonly passed: boolean;
  /** What was read from the reply; null if nothing could be. At most 200 characters. */
  readonly found: string | null;
  /**
   * Only for tasks that ask for a format (bare JSON, one line): whether the reply has it. Worth at most a quarter of
   * the score.
   */
  readonly formKept?: boolean;
  /** The value was right and only its wrapping was wrong. Never true of a pass. */
  readonly rightValueWrongWrapping?: boolean;
  /** At least one. `name` is the skill that a check tests, such as `order` or `final-value`. */
  readonly checks: readonly Check[];
}
