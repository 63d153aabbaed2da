/** What a grader is: a pure function with a name, fixed serialisable parameters and a message that explains itself. */

/** What a grader says about one reply. */
export interface Verdict {
  readonly passed: boolean;
  /** One sentence: what was expected and what was found. */
  readonly message: string;
  /** Set when forgiving the reply's outer wrapping changes the verdict. */
  readonly passedLoose?: boolean;
}

/** One way to judge a reply; the registry gives it its name. It must take time linear in the reply, whatever the reply holds. */
export interface Grader<Parameters> {
  grade(parameters: Parameters, reply: string): Verdict;
}
