/** The verdict on one aspect of a reply. Field names are those of the HTTP API. */
export interface Check {
  /** The skill that the check tests. */
  readonly name: string;
  readonly passed: boolean;
  /** What was expected and what was found, in one sentence. */
  readonly message: string;
  /** Only in suite version 1: the verdict when wrapping is ignored. Absent when equal to `passed`. */
  readonly passed_loose?: boolean;
  /** Share of the check inside its case; absent means 1. */
  readonly weight?: number;
}
