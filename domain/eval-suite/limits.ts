/** Every bound of the suite in one place. */

/** Longest prompt, in characters, that a generator may make. */
export const maxPromptCharacters = 16_000;

/** Longest reply that is graded at all, in UTF-16 units; the guarded client stops at 256 KiB before that. */
export const maxReplyCharacters = 262_144;

/** How much of a reply is kept with a case and shown (decisions, section 5). */
export const storedReplyCharacters = 4_000;

/** Longest text that is looked at as one short answer; anything longer is no answer to a short question. */
export const maxAnswerCharacters = 4_000;

/** How much of a found value a message repeats. */
export const maxQuotedCharacters = 80;

/** Deepest JSON and largest number of values in JSON that a grader takes up; no task needs a tenth of it. */
export const maxJsonDepth = 32;
export const maxJsonValues = 2_000;

/** Longest text that is taken up as JSON or as CSV; the tasks need about 3,000 and 1,000 characters. */
export const maxJsonCharacters = 60_000;
export const maxCsvCharacters = 8_000;

/**
 * Longest reply that is read as a piece of writing or searched for a secret, several hundred times what is asked for.
 * A longer one fails: nothing may hide behind sheer length.
 */
export const maxWritingCharacters = 65_536;

/** Longer replies to a writing task are judged strictly only, which keeps grading to one pass. */
export const maxLooseCharacters = 20_000;

/** How often a generator may throw its draft away and try again before that counts as a bug. */
export const maxGeneratorAttempts = 1_000;
