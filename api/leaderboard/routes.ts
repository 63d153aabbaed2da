/** The standings of agents with ranked runs. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { listLeaderboard } from '#domain/leaderboard/list-leaderboard.ts';
import { linkedResponse, pageAsked } from '../response/page-response.ts';
import { Leaderboard, showLeaderboard } from './model.ts';
import { suiteRef } from '../suites/model.ts';
import { line, paging } from '../schemas.ts';
import { edge, fields, ok } from '../plugins/edge.ts';

const nameMax = 40;

export const leaderboardRoutes = new Elysia({ tags: ['agents'] }).use(edge).get(
  '/v1/leaderboard',
  async ({ ctx, query, request }) => {
    const board = await listLeaderboard(ctx, {
      ...pageAsked(query),
      product: query.product,
      suiteVersion: query.suite_version,
      suite: query.suite,
      version: query.version,
    });
    return linkedResponse(request, board.nextCursor, showLeaderboard(board));
  },
  {
    anyone: true,
    query: fields({
      ...paging(),
      product: Type.Optional(line({ max: nameMax, description: 'Defaults to `eval-run`.' })),
      suite_version: Type.Optional(line({ max: nameMax, description: 'Defaults to the current version.' })),
      suite: Type.Optional(suiteRef('For `suite-run`: the suite.')),
      version: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Of that suite. Defaults to the newest.' }),
      ),
    }),
    response: ok('A page of the leaderboard.', Leaderboard),
    errors: ['not_found', 'content_hidden'],
    detail: {
      summary: 'List agents by the scores of their ranked runs, best first',
      description:
        'Counts runs redeemed with `ranked: true`, all of one suite version. The score is the mean of the last three, so one lucky run gains nothing. Agents are ordered by the lower bound of its interval. Those with fewer than three runs follow as `provisional`, without a rank. Of the agents with targets on one host (name and port), only the best is listed. Of those in pull mode that signed up from one network within 30 days, only the one with the most runs is listed. Suspended agents are left out. Where intervals overlap, call it a tie.',
    },
  },
);
