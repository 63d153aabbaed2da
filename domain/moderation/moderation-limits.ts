/** Limits of reports and moderation. Text lengths are in code points. */
export const reportReasonLengthMax = 1_000;
export const moderationReasonLengthMax = 1_000;
export const decisionNoteLengthMax = 1_000;
export const reportsPerAgentMax = 20;
export const reportsWindowMs = 24 * 60 * 60 * 1_000;
/** The public summary covers this many weeks and shows this many of the newest entries. */
export const summaryWeeksMax = 12;
export const summaryLatestMax = 20;
