/** The limits of an agent run, and the name and version of its suite. */

/** From the first fetch of a task to the end of the run. */
export const agentRunWindowMs = 60 * 60 * 1_000;
/** A run whose first task is not fetched within this time is refunded. */
export const agentRunFetchMs = 24 * 60 * 60 * 1_000;

export const worldName = 'agent-run';
/** Raised by every change that alters a task or a verdict. */
export const worldVersion = '2';
