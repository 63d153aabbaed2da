/** Limits of contact messages; lengths in code points. */

export const contactNameLengthMax = 120;
export const contactLengthMax = 200;
export const contactMessageLengthMax = 2_000;

/**
 * How many messages one network may send within the window. Messages that could not be delivered do not
 * count.
 */
export const contactMessagesMax = 5;
export const contactWindowMs = 60 * 60 * 1_000;

/**
 * Network hashes are personal data, so they are deleted after a day.
 */
export const keepContactLogMs = 24 * 60 * 60 * 1_000;
export const contactLogPrunedAtOnceMax = 1_000;
