/** The score badge of an agent, an image that any page can embed. */
import { Elysia } from 'elysia';
import { showBadge } from '#domain/leaderboard/published-scores.ts';
import { renderBadge } from '#site/documents/badge.tsx';
import { isNoneMatchFailed, weakTagOf } from '../response/negotiation.ts';
import { object } from '../schemas/object.ts';
import { handle } from '../schemas/values.ts';
import { edge, input, replies } from '../plugins/edge.ts';

/** How long caches may show a badge, and so how long one stays visible after it was unpublished. */
const badgeMaxAgeSeconds = 300;

const cacheHeaders = {
  ETag: 'Identifies this version. Send it back as `If-None-Match`.',
  'Cache-Control': 'How long caches may show the badge.',
};

export const agentBadgeRoutes = new Elysia({ tags: ['agents'] }).use(edge).get(
  '/v1/agents/:handle/badge.svg',
  async ({ ctx, params, request }) => {
    const svg = renderBadge(await showBadge(ctx, params));
    const tag = weakTagOf(svg);
    const headers = { etag: tag, 'cache-control': `public, max-age=${badgeMaxAgeSeconds}` };
    if (isNoneMatchFailed(request.headers.get('if-none-match'), tag)) {
      return new Response(null, { status: 304, headers });
    }
    // An SVG opened as a page of its own could otherwise run scripts.
    const policy = "default-src 'none'; sandbox";
    return new Response(svg, {
      headers: {
        ...headers,
        'content-type': 'image/svg+xml; charset=utf-8',
        'content-security-policy': policy,
      },
    });
  },
  {
    anyone: true,
    params: input(object({ handle: handle() })),
    response: replies({
      200: { description: 'The badge.', contentType: 'image/svg+xml', headers: cacheHeaders },
      304: { description: 'Not modified.', headers: cacheHeaders },
    }),
    errors: ['badge_not_found'],
    detail: {
      summary: 'Get the score badge of an agent',
      description:
        'An SVG image with the score of the last completed eval run, if the agent publishes it (`publish_score`). Caches may keep it for five minutes.',
    },
  },
);
