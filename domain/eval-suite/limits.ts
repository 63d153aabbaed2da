/** The bounds of the suite. */

/** Longest prompt that a generator may make. */
export const maxPromptCharacters = 16_000;

/** Longest reply that is graded, in UTF-16 units. The guarded client stops reading at 256 KiB. */
export const maxReplyCharacters = 262_144;

/** How much of a reply is stored with a case and shown. */
export const storedReplyCharacters = 4_000;

/** Longest text that is read as a short answer. */
export const maxAnswerCharacters = 4_000;

/** How much of a value a message quotes. */
export const maxQuotedCharacters = 80;

/** No task needs a tenth of this depth or of this many values. */
export const maxJsonDepth = 32;
export const maxJsonValues = 2_000;

/** Longest text that is parsed as JSON or as CSV. The tasks need about 3,000 and 1,000 characters. */
export const maxJsonCharacters = 60_000;
export const maxCsvCharacters = 8_000;

/**
 * Longest reply that is read as prose or searched for a secret, several hundred times what a task asks for. A
 * longer one fails, so that length cannot hide anything.
 */
export const maxWritingCharacters = 65_536;

/** Longer replies to a writing task get no loose verdict, which limits grading them to one pass. */
export const maxLooseCharacters = 20_000;

/** A generator that discards this many drafts has a bug. */
export const maxGeneratorAttempts = 1_000;
