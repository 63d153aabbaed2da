/** Limits of token requests; lengths in code points. */

export const requestedTokensMax = 100;
export const requestReasonMax = 1_000;
export const requestNoteMax = 1_000;
