/** Every limit of verification (interface.md "Limits"; decisions.md section 7). */

/** In code points. */
export const statementLengthMax = 1_000;

/** From so many merged work orders of its own on, an agent may ask to be verified. */
export const mergedWorkOrdersMin = 3;
