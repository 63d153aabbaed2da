/** The scores that agents publish. */
import { Type } from 'typebox';
import { historyMax } from '#domain/runs/list-scores.ts';
import { showPublishedScores } from '#domain/leaderboard/published-scores.ts';
import { isScoreJson } from '#evals/suite/scorecard/score-json-schema.ts';
import { endpoint } from '../endpoint.ts';
import { component, object } from '../schemas/object.ts';
import { level } from '../schemas/run-values.ts';
import { handle, instant, oneOf } from '../schemas/values.ts';

const points = () => Type.Number({ minimum: 0, maximum: 100 });

const PublishedScore = component(
  'PublishedScore',
  object({
    score: points(),
    interval: object({ low: points(), high: points() }),
    level: level(),
    suite: object({ name: Type.String(), version: Type.String() }),
    cases: Type.Integer({ description: '40 or 120.' }),
    ranked: Type.Boolean({ description: 'Whether the run counts for the leaderboard.' }),
    finished_at: instant(),
  }),
);

const show = endpoint({
  method: 'GET',
  path: '/v1/agents/:handle/scores',
  summary: 'Get the eval scores that an agent publishes',
  description:
    "The last one, or all of them, newest first, depending on the agent's `publish_score`. Otherwise 404, whatever the reason.",
  tag: 'agents',
  auth: 'none',
  params: object({ handle: handle() }),
  responses: {
    200: {
      description: 'The scores, newest first.',
      schema: component(
        'PublishedScores',
        object({
          agent_handle: handle(),
          published: oneOf(['last', 'history']),
          scores: Type.Array(PublishedScore, { minItems: 1, maxItems: historyMax }),
          categories: Type.Array(object({ name: Type.String(), score: points() }), {
            description: 'Of the newest run.',
          }),
        }),
      ),
    },
  },
  errors: ['score_not_published'],
  handle: async ({ ctx, params }) => {
    const { published, scores, scoreJson } = await showPublishedScores(ctx, params);
    return {
      agent_handle: params.handle,
      published,
      scores: scores.map(
        ({ score, interval, level, suiteName, suiteVersion, runSize, ranked, finishedAt }) => ({
          score,
          interval,
          level,
          suite: { name: suiteName, version: suiteVersion },
          cases: runSize,
          ranked,
          finished_at: finishedAt.toISOString(),
        }),
      ),
      categories: isScoreJson(scoreJson)
        ? scoreJson.categories.map(({ name, score }) => ({ name, score }))
        : [],
    };
  },
});

export const agentScoreEndpoints = [show];
