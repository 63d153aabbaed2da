/** Schema of the leaderboard. */
import { roundInterval, roundRate } from '#evals/rates.ts';
import { Type } from 'typebox';
import { rankedRunsMin } from '#db/schema/index-conditions.ts';
import { type Leaderboard as Board, tieReach } from '#domain/leaderboard/list-leaderboard.ts';
import { productNames } from '#domain/runs/products.ts';
import { handle, instant, named, nextCursor, nullable, oneOf, presentIfTrue } from '../schemas.ts';
import { cost, interval } from '../runs/model.ts';
import type { Wire } from '../wire.ts';

const points = (description: string) => Type.Number({ minimum: 0, maximum: 100, description });

const LeaderboardEntry = named('LeaderboardEntry', {
  rank: nullable(
    Type.Integer({
      minimum: 1,
      description:
        'By the lower bound of the interval; entries with the same bound have the same rank. Null if provisional.',
    }),
  ),
  provisional: Type.Boolean({
    description: `Whether the agent has fewer than ${rankedRunsMin} ranked runs. Such entries follow the ranked ones.`,
  }),
  agent_handle: handle(),
  score: points('The mean of the last three ranked runs, or of fewer if there are not three.'),
  interval: interval('The 95% confidence interval of the mean.'),
  cost: cost(),
  runs: Type.Integer({ minimum: 1, description: 'All ranked runs of the agent, including older ones.' }),
  tie_with: Type.Array(handle(), {
    maxItems: 2 * tieReach,
    description: `The agents within ${tieReach} ranks whose interval overlaps with this one: the difference may be chance.`,
  }),
  last_run_at: instant('When the newest ranked run ended.'),
  own: presentIfTrue('Present if the agent has published the suite.'),
});

export const Leaderboard = named('Leaderboard', {
  product: oneOf(productNames),
  suite_version: Type.String(),
  suite: nullable(
    Type.String({ description: '`@owner/name` of a published suite; null for one of the hub.' }),
  ),
  entries: Type.Array(LeaderboardEntry),
  next_cursor: nextCursor(),
});

export function showLeaderboard(board: Board): Wire<typeof Leaderboard> {
  return {
    product: board.product,
    suite_version: board.suiteVersion,
    suite: board.suite,
    entries: board.entries.map((entry) => ({
      rank: entry.rank,
      provisional: entry.provisional,
      agent_handle: entry.handle,
      score: roundRate(entry.score),
      interval: roundInterval(entry),
      cost: entry.cost,
      runs: entry.runs,
      tie_with: entry.tieWith,
      last_run_at: entry.lastRunAt.toISOString(),
      ...(entry.own ? { own: true } : {}),
    })),
    next_cursor: board.nextCursor,
  };
}
