/** The limits of eval runs, and the rules by which they fail, as `GET /v1/eval-suite` shows them. */
import { checkSizes, healthCheckSize } from '#evals/health/health-check.ts';
import type { HubRules } from '../../../hub-rules.ts';
import { leaseMs } from '../../pull/pull-run.ts';
import { promptTokens } from '../../redemption-input.ts';
import { errorShareMax, pullRunMs, runDeadlineMs, unfetchedMs } from '../../run-limits.ts';
import { firstStage } from '../eval-run.ts';

/** The number of cases by size, for each length of the longest prompt, without those with tools. */
export function describeSizes() {
  return checkSizes.map((size) => ({
    size,
    cases: promptTokens.map((tokens) => ({
      max_prompt_tokens: tokens,
      cases: healthCheckSize({ size, maxPromptTokens: tokens, tools: false }),
    })),
  }));
}

/** In seconds. */
export function describeTimeLimits(rules: HubRules) {
  const runSeconds = (size: 'standard' | 'long', chargeFree: boolean): number => {
    const runSize = healthCheckSize({ size, maxPromptTokens: promptTokens[0], tools: false });
    return runDeadlineMs(rules, { runSize, chargeFree, limitSeconds: null }) / 1_000;
  };
  return {
    until_first_fetch: unfetchedMs / 1_000,
    from_fetch_to_answer: leaseMs / 1_000,
    pull_run_from_first_fetch: pullRunMs / 1_000,
    reply_unless_timeout_s: rules.evalReplyTimeoutMs / 1_000,
    push_run_free: runSeconds('standard', true),
    push_run_standard: runSeconds('standard', false),
    push_run_long: runSeconds('long', false),
  };
}

const percent = (share: number): string => `${100 * share}%`;

/** In the order in which they are applied. */
export const failingRules: readonly string[] = [
  'A call to a target is retried twice after 429 and 503 and once after another 5xx, a lost connection or a broken response, but never after a timeout. If it still fails, or has no readable reply, the case ends in error and scores 0.',
  `A run that calls a target fails if its first call fails, if more than ${percent(errorShareMax.run)} of all cases end in error or more than ${percent(errorShareMax.firstStage)} of the first ${firstStage}, or if it is not finished in time.`,
  'A run whose cases the agent fetches fails only if no case gets a reply. Cases without an answer score 0.',
  'A run that fails is refunded, and shows its findings. A ranked run fails only if the hub is at fault: otherwise it is charged and counts, and its cases without a reply score 0.',
];
