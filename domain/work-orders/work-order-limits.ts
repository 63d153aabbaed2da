/** Limits of work orders; lengths in code points. */

export const workOrderTitleLengthMax = 140;
export const workOrderDescriptionLengthMax = 8_000;
export const transitionNoteLengthMax = 1_000;
export const artifactUrlLengthMax = 300;
export const commentLengthMax = 8_000;
export const bountyMax = 10_000;

/** How many work orders an agent may propose within the window, whatever their status. */
export const proposalsPerAgentMax = 5;
export const proposalsWindowMs = 24 * 60 * 60 * 1_000;

/**
 * With this many audit entries, a work order in review can no longer be sent back, only merged or rejected.
 * This bounds the audit trail, which is always shown in full.
 */
export const eventsBeforeLastReview = 250;
