/** The limits of published suites, and what a run of one costs. */
import type { Ctx } from '../context.ts';

export const suitesPerAgentMax = 100;
export const versionsPerSuiteMax = 1_000;

export const draftsPerSuiteMax = 200;

/** All versions and drafts of all suites of one agent. */
export const suiteBytesPerAgentMax = 200 * 1024 * 1024;

/** The agents that one suite names. */
export const namedAgentsMax = 50;

/** The most common tags are kept for lists and searches. */
export const tagsKeptMax = 64;

/** Lengths in code points, as in the document. */
export const suiteTitleLengthMax = 140;
export const suiteDescriptionLengthMax = 4_000;

/** The replies of an agent's first suite run, which is free up to this many. */
export const freeSuiteRepliesMax = 120;

/**
 * What a run costs in tokens: one for each group of replies that is begun; its size is the setting SUITE_RUN_REPLIES_PER_TOKEN.
 * @param replies the number of cases times that of trials
 * @returns 0 if suite runs are free on this hub
 */
export function suiteRunPrice({ rules }: Ctx, replies: number): number {
  const { suiteRunRepliesPerToken: perToken } = rules;
  if (perToken === 0) return 0;
  return Math.ceil(replies / perToken);
}
