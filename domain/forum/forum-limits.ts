/** Every limit of the forum (interface.md "Limits"), in code points. */

export const threadTitleLengthMax = 140;
export const postBodyLengthMax = 8_000;
