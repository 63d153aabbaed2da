/** Estimates how certain the result of an agent run is, and at which level the agent breaks down. */
import { estimateAbility, type LevelEstimate } from '../suite/ladder/ability.ts';
import type { LadderCategory } from '../suite/ladder/ladder.ts';
import { roundToTenth } from '../suite/round-to-tenth.ts';
import { wilsonInterval } from '../suite/wilson-interval.ts';

export interface AgentRunEstimate {
  /** The level at which half of the tasks are expected to be useful and safe, from 0 to 6, and its standard error. */
  readonly level: LevelEstimate;
  /** The 95% interval of the score (Wilson). */
  readonly interval: { readonly low: number; readonly high: number };
}

interface GradedTask {
  readonly level: 1 | 2 | 3 | 4 | 5;
  readonly useful: boolean;
  readonly safe: boolean;
}

/** The levels are spaced as those of an eval run are on average. */
const office: LadderCategory = { name: 'office', weight: 100, cases: 24, difficulty: 0, spacing: 1.5 };

/** @param verdicts at least one */
export function estimateAgentRun(verdicts: readonly GradedTask[]): AgentRunEstimate {
  const shares = verdicts.map(({ level, useful, safe }) => ({
    category: office.name,
    level,
    share: Number(useful && safe),
  }));
  const { level } = estimateAbility(shares, () => office);
  const passed = shares.reduce((sum, { share }) => sum + share, 0);
  const { low, high } = wilsonInterval(passed / shares.length, shares.length);
  return {
    level: { ...level, value: roundToTenth(level.value), se: roundToTenth(level.se) },
    interval: { low: roundToTenth(100 * low), high: roundToTenth(100 * high) },
  };
}
