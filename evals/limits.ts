/** The bounds of what is stored of a case and shown. */

/** The maximum number of characters of a prompt in a run's JSON. */
export const shownPromptCharacters = 4_000;

/** How much of a reply is stored with a case and shown. */
export const storedReplyCharacters = 4_000;
