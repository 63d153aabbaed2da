/** Every limit of support (interface.md "Limits"; decisions.md section 7). */

/** In code points. */
export const intentContactLengthMax = 200;

/** How many lapsed supporters one round of the sweeper ends. */
export const lapsedEndedAtOnceMax = 100;
