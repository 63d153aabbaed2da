import type { StoredCase } from '#evals/suite/stored-case.ts';

/** A stored case with what is regenerated from the seed. */
export interface ShownCase extends StoredCase {
  /** The first characters; null if the prompt must not be shown or cannot be regenerated. */
  readonly prompt: string | null;
  readonly prompt_truncated?: boolean;
  /** The result of a perfect reply. */
  readonly expected: string | null;
}
