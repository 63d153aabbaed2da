/** The verdict on one aspect of a reply. Field names are those of the HTTP API. */
export interface Check {
  /** The skill that the check tests. */
  readonly name: string;
  readonly passed: boolean;
  /** What was expected and what was found, in one sentence. */
  readonly message: string;
  /** Share of the check inside its case; absent means 1. */
  readonly weight?: number;
}
