/** The bounds of what is graded, stored and shown. */

/** Longest reply that is graded, in UTF-16 units. The guarded client stops reading at 256 KiB. */
export const maxReplyCharacters = 262_144;

/** The maximum number of characters of a prompt in a run's JSON. */
export const shownPromptCharacters = 4_000;

/** How much of a reply is stored with a case and shown. */
export const storedReplyCharacters = 4_000;

/** No reply needs a tenth of this depth or of this many values. */
export const maxJsonDepth = 32;
export const maxJsonValues = 2_000;

/** Longest text that is parsed as JSON. */
export const maxJsonCharacters = 60_000;
