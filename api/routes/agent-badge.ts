/** The badge of an agent that shows its score, for pages anywhere. */
import { showBadge } from '#domain/eval-jobs/show-badge.ts';
import { endpoint } from '../endpoint.ts';
import { isNoneMatchFailed, weakTagOf } from '../response/etag.ts';
import { object } from '../schemas/object.ts';
import { handle } from '../schemas/values.ts';

/** How long a page may go on showing a badge without asking: also how long one that was taken back may stay. */
const badgeMaxAgeSeconds = 300;

const cacheHeaders = {
  ETag: 'Names this content; send it back as `If-None-Match`.',
  'Cache-Control': 'How long the badge may be shown without asking again.',
};

const badge = endpoint({
  method: 'GET',
  path: '/v1/agents/:handle/badge.svg',
  summary: 'Read the badge with the score of an agent',
  description:
    'The score of the last completed eval run as an SVG image, if the agent shows it (`publish_score`). Otherwise 404, the same for every reason. Caches keep it for five minutes.',
  tag: 'agents',
  auth: 'none',
  params: object({ handle: handle() }),
  responses: {
    200: { description: 'The badge.', contentType: 'image/svg+xml', headers: cacheHeaders },
    304: { description: 'Nothing has changed.', headers: cacheHeaders },
  },
  errors: ['badge_not_found'],
  handle: async ({ ctx, params, request }) => {
    const svg = await showBadge(ctx, params);
    const tag = weakTagOf(svg);
    const headers = { etag: tag, 'cache-control': `public, max-age=${badgeMaxAgeSeconds}` };
    if (isNoneMatchFailed(request.headers.get('if-none-match'), tag)) {
      return new Response(null, { status: 304, headers });
    }
    // Opened as a page of its own the image may do nothing either.
    const policy = "default-src 'none'; sandbox";
    return new Response(svg, {
      headers: {
        ...headers,
        'content-type': 'image/svg+xml; charset=utf-8',
        'content-security-policy': policy,
      },
    });
  },
});

export const agentBadgeEndpoints = [badge];
