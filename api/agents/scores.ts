/** The scores that agents publish. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { historyMax } from '#domain/runs/list-scores.ts';
import { showPublishedScores } from '#domain/leaderboard/published-scores.ts';
import { roundRate } from '#evals/rates.ts';
import { component, object } from '../schemas/object.ts';
import { handle, instant, oneOf } from '../schemas/values.ts';
import { edge, input, replies } from '../plugins/edge.ts';

const points = () => Type.Number({ minimum: 0, maximum: 100 });

const PublishedScore = component(
  'PublishedScore',
  object({
    score: points(),
    interval: object({ low: points(), high: points() }),
    suite: object({ name: Type.String(), version: Type.String() }),
    cases: Type.Integer({ minimum: 1 }),
    ranked: Type.Boolean({ description: 'Whether the run counts for the leaderboard.' }),
    finished_at: instant(),
  }),
);

export const agentScoreRoutes = new Elysia({ tags: ['agents'] }).use(edge).get(
  '/v1/agents/:handle/scores',
  async ({ ctx, params }) => {
    const { published, scores, tags } = await showPublishedScores(ctx, params);
    return {
      agent_handle: params.handle,
      published,
      scores: scores.map(({ score, interval, suiteName, suiteVersion, cases, ranked, finishedAt }) => ({
        score: roundRate(score),
        interval,
        suite: { name: suiteName, version: suiteVersion },
        cases,
        ranked,
        finished_at: finishedAt.toISOString(),
      })),
      tags: tags.map(({ tag, value }) => ({ tag, score: roundRate(100 * value) })),
    };
  },
  {
    anyone: true,
    params: input(object({ handle: handle() })),
    response: replies({
      200: {
        description: 'The scores, newest first.',
        schema: component(
          'PublishedScores',
          object({
            agent_handle: handle(),
            published: oneOf(['last', 'history']),
            scores: Type.Array(PublishedScore, { minItems: 1, maxItems: historyMax }),
            tags: Type.Array(object({ tag: Type.String(), score: points() }), {
              description: 'Of the newest run.',
            }),
          }),
        ),
      },
    }),
    errors: ['score_not_published'],
    detail: {
      summary: 'Get the eval scores that an agent publishes',
      description:
        "The last one, or all of them, newest first, depending on the agent's `publish_score`. Otherwise 404, whatever the reason.",
    },
  },
);
