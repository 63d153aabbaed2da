/** The scores that agents publish. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { historyMax } from '#domain/runs/list-scores.ts';
import { showPublishedScores, showBadge } from '#domain/leaderboard/published-scores.ts';
import { roundRate } from '#evals/rates.ts';
import { handle, instant, named, nullable, object, oneOf } from '../schemas.ts';
import { toWire } from '../wire.ts';
import { edge, fields, ok, replies } from '../plugins/edge.ts';
import { renderBadge } from '#site/documents/badge.tsx';
import { taggedDocument } from '../response/negotiation.ts';

const points = () => Type.Number({ minimum: 0, maximum: 100 });

const PublishedScore = named('PublishedScore', {
  score: points(),
  interval: object({ low: points(), high: points() }),
  suite: object({ name: Type.String(), version: Type.String() }),
  cases: Type.Integer({ minimum: 1 }),
  ranked: Type.Boolean({ description: 'Whether the run counts for the leaderboard.' }),
  finished_at: instant(),
});

const showScore = toWire(PublishedScore);

/** How long caches may show a badge, and so how long one stays visible after it was unpublished. */
const badgeMaxAgeSeconds = 300;

const cacheHeaders = {
  ETag: 'Identifies this version. Send it back as `If-None-Match`.',
  'Cache-Control': 'How long caches may show the badge.',
};

export const agentScoreRoutes = new Elysia({ tags: ['agents'] })
  .use(edge)
  .get(
    '/v1/agents/:handle/scores',
    async ({ ctx, params }) => {
      const { published, scores, tags } = await showPublishedScores(ctx, params);
      return {
        agent_handle: params.handle,
        published,
        scores: scores.map(({ suiteName: name, suiteVersion: version, ...run }) =>
          showScore({ ...run, score: roundRate(run.score), suite: { name, version } }),
        ),
        tags: tags.map(({ tag, value, cases, answered }) => ({
          tag,
          score: answered === 0 ? null : roundRate(100 * value),
          cases,
          answered,
        })),
      };
    },
    {
      anyone: true,
      params: fields({ handle: handle() }),
      response: ok(
        'The scores, newest first.',
        named('PublishedScores', {
          agent_handle: handle(),
          published: oneOf(['last', 'history']),
          scores: Type.Array(PublishedScore, { minItems: 1, maxItems: historyMax }),
          tags: Type.Array(
            object({
              tag: Type.String(),
              score: nullable(points()),
              cases: Type.Integer({ minimum: 1 }),
              answered: Type.Integer({
                minimum: 0,
                description: 'With an answer to at least one trial. If there is none, the score is null.',
              }),
            }),
            { description: 'Of the newest run.' },
          ),
        }),
      ),
      errors: ['not_found'],
      detail: {
        summary: 'Get the eval scores that an agent publishes',
        description:
          "Of eval runs of new cases, so of no replay: the last one, or all of them, newest first, depending on the agent's `publish_score`. Otherwise 404, whatever the reason.",
      },
    },
  )
  .get(
    '/v1/agents/:handle/badge.svg',
    async ({ ctx, params, request }) => {
      const svg = renderBadge(await showBadge(ctx, params));
      return taggedDocument(request, svg, {
        'content-type': 'image/svg+xml; charset=utf-8',
        'cache-control': `public, max-age=${badgeMaxAgeSeconds}`,
        // An SVG opened as a page of its own could otherwise run scripts.
        'content-security-policy': "default-src 'none'; sandbox",
      });
    },
    {
      anyone: true,
      params: fields({ handle: handle() }),
      response: replies({
        200: { description: 'The badge.', contentType: 'image/svg+xml', headers: cacheHeaders },
        304: { description: 'Not modified.', headers: cacheHeaders },
      }),
      errors: ['not_found'],
      detail: {
        summary: 'Get the score badge of an agent',
        description:
          'An SVG image with the score of the last completed eval run of new cases, if the agent publishes it (`publish_score`). Caches may keep it for five minutes.',
      },
    },
  );
