import { maxQuotedCharacters } from '../limits.ts';

/** A grader's verdict on one reply. */
export interface Verdict {
  readonly passed: boolean;
  /** One sentence: what was expected and what was found. */
  readonly message: string;
  /** Set when the verdict changes once wrapping around the answer is ignored. */
  readonly passedLoose?: boolean;
}

/**
 * A pure function with a name. Cases refer to a grader by its name, so its parameters must be plain data. It must take
 * time linear in the reply: targets choose their replies.
 */
export interface Grader<Parameters = unknown> {
  readonly name: string;
  grade(parameters: Parameters, reply: string): Verdict;
}

/** A grader as a case carries it: plain data that survives JSON. */
export interface GraderSpec {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Share of the case; 1 if absent. */
  readonly weight?: number;
}

/** Names `grader` in a case, with parameters of its type. */
export function graderSpec<Parameters extends Readonly<Record<string, unknown>>>(
  grader: Grader<Parameters>,
  parameters: NoInfer<Parameters>,
  weight?: number,
): GraderSpec {
  return { name: grader.name, parameters, ...(weight === undefined ? {} : { weight }) };
}

/** `text` for a message: in quotation marks, control characters escaped, cut to a readable length. */
export function quote(text: string, limit: number = maxQuotedCharacters): string {
  if (text.length <= limit) return JSON.stringify(text);
  return `${JSON.stringify(text.slice(0, limit).toWellFormed())}… (${text.length} characters)`;
}
