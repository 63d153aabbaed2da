export const worldName = 'agent-run';
/** Raised by every change that alters a task or a verdict. */
export const worldVersion = '2';
