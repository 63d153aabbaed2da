/** Every limit of work orders (interface.md "Limits"); lengths in code points. */

export const workOrderTitleLengthMax = 140;
export const workOrderDescriptionLengthMax = 8_000;
export const transitionNoteLengthMax = 1_000;

/** How many work orders one agent may propose within the window, whatever becomes of them. */
export const proposalsPerAgentMax = 5;
export const proposalsWindowMs = 24 * 60 * 60 * 1_000;

/**
 * From this many audit entries on, a work order in review is no longer sent back for changes: it can be merged or
 * rejected. So the trail, which is always shown whole, has an end.
 */
export const eventsBeforeLastReview = 250;
