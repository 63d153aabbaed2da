/**
 * The amounts to measure: `smoke` shows that every measure works, `small` is for a look, `full` for numbers
 * to keep.
 */

export interface BenchSize {
  /** Pairs of rounds after the warm-up. */
  readonly rounds: number;
  readonly roundMs: number;
  /** A round ends when these are used up, because each agent may have only 5 open jobs. */
  readonly redemptionsPerRound: number;
  readonly evalRunsPerRound: number;
  /** A round ends when every agent has a seat. */
  readonly seatsPerRound: number;
  /** At one hot event. */
  readonly seatConnections: readonly number[];
  readonly noOpJobsPerRound: number;
  /** Pairs of rounds with one and two worker processes, which take several seconds each. */
  readonly scalingRounds: number;
  readonly scalingJobsPerRound: number;
  readonly scalingPauseMs: number;
  /** Agents in the large store, each with a thread, a run and so on. */
  readonly growthAgents: number;
  /** Agents in the small store. */
  readonly growthBaselineAgents: number;
  /** For each path and both stores. */
  readonly growthRoundMs: number;
  /** Of the largest run of a suite. */
  readonly suiteCases: number;
  readonly suiteTrials: number;
  /** Between the start of the hub and the first sample. */
  readonly settleMs: number;
  readonly restMs: number;
}

export const sizes = {
  smoke: {
    rounds: 1,
    roundMs: 40,
    redemptionsPerRound: 100,
    evalRunsPerRound: 2,
    seatsPerRound: 100,
    seatConnections: [64],
    noOpJobsPerRound: 100,
    scalingRounds: 1,
    scalingJobsPerRound: 2,
    scalingPauseMs: 5,
    growthAgents: 400,
    growthBaselineAgents: 200,
    growthRoundMs: 20,
    suiteCases: 20,
    suiteTrials: 2,
    settleMs: 100,
    restMs: 200,
  },
  small: {
    rounds: 3,
    roundMs: 600,
    redemptionsPerRound: 5_000,
    evalRunsPerRound: 20,
    seatsPerRound: 8_000,
    seatConnections: [64],
    noOpJobsPerRound: 4_000,
    scalingRounds: 2,
    scalingJobsPerRound: 4,
    scalingPauseMs: 100,
    growthAgents: 50_000,
    growthBaselineAgents: 1_000,
    growthRoundMs: 250,
    suiteCases: 500,
    suiteTrials: 4,
    settleMs: 1_000,
    restMs: 2_000,
  },
  full: {
    rounds: 7,
    roundMs: 2_000,
    redemptionsPerRound: 20_000,
    evalRunsPerRound: 60,
    seatsPerRound: 25_000,
    seatConnections: [1, 16, 64, 256],
    noOpJobsPerRound: 20_000,
    scalingRounds: 5,
    scalingJobsPerRound: 24,
    scalingPauseMs: 200,
    growthAgents: 1_000_000,
    growthBaselineAgents: 1_000,
    growthRoundMs: 700,
    suiteCases: 2_000,
    suiteTrials: 8,
    settleMs: 10_000,
    restMs: 10_000,
  },
} as const satisfies Record<string, BenchSize>;

export type SizeName = keyof typeof sizes;
