/** How a browser of the operator signs in: the hub prints a link with a button, which sets a cookie. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { DomainError } from '#domain/errors.ts';
import { isCrossSiteWrite } from '#runtime/inbound-http/operator-access.ts';
import { renderOperatorHome, renderOperatorSignIn } from '#site/plain-pages.tsx';
import {
  createOperatorLink,
  isOperatorLinkOpen,
  operatorCookie,
  operatorLinkMinutes,
  useOperatorLink,
} from '../access/operator-session.ts';
import { operatorPagesClosed } from '../access/key-gate.ts';
import { respond } from '../endpoint.ts';
import { object } from '../schemas.ts';
import { htmlResponse, rendered } from '../site/html-response.ts';
import { viewOf } from '../site/page-view.ts';
import { created, edge, input, replies } from '../plugins/edge.ts';

const signInPath = '/admin/sign-in/:secret';
const params = object({ secret: Type.String({ pattern: '^[A-Za-z0-9_-]{32}$' }) });

export const operatorSignInRoutes = new Elysia({ tags: ['operation'] })
  .use(edge)
  .post(
    '/admin/sign-in-links',
    async ({ ctx, deps }) =>
      respond(201, { url: `${ctx.rules.baseUrl}/admin/sign-in/${await createOperatorLink(deps.redis)}` }),
    {
      operator: true,
      response: created('The link.', object({ url: Type.String() })),
      errors: ['queue_unavailable'],
      limit: 'none',
      hidden: true,
      detail: { summary: 'Create a link that signs a browser of the operator in, once' },
    },
  )
  .get(
    signInPath,
    async ({ deps, params: { secret }, request }) => {
      if (!(await isOperatorLinkOpen(deps.redis, secret))) throw linkIsUsed();
      const html = rendered(renderOperatorSignIn(viewOf(deps, request, null)));
      return htmlResponse(request, html, { status: 200, isPrivate: true });
    },
    {
      anyone: true,
      params: input(params),
      response: replies({ 200: { description: 'A page with a button.', contentType: 'text/html' } }),
      errors: ['queue_unavailable', 'not_found'],
      hidden: true,
      detail: { summary: 'Open a link that signs a browser of the operator in' },
    },
  )
  .post(
    signInPath,
    async ({ ctx, deps, params: { secret }, request }) => {
      if (isCrossSiteWrite(request)) {
        throw new DomainError('not_allowed', 'This form was not sent from a page of this hub.');
      }
      const { operatorKey } = deps.settings;
      if (operatorKey === null) throw operatorPagesClosed();
      if (!(await useOperatorLink(deps.redis, secret))) throw linkIsUsed();
      return new Response(null, {
        status: 303,
        headers: {
          location: '/admin',
          'set-cookie': operatorCookie({ operatorKey, baseUrl: ctx.rules.baseUrl, now: ctx.clock.now() }),
          'cache-control': 'no-store',
        },
      });
    },
    {
      anyone: true,
      params: input(params),
      response: replies({ 303: { description: 'Signed in.', contentType: 'text/html' } }),
      errors: ['queue_unavailable', 'not_found', 'not_allowed', 'operator_only'],
      hidden: true,
      detail: { summary: 'Sign a browser of the operator in' },
    },
  )
  .get(
    '/admin',
    ({ deps, request }) => {
      const html = rendered(renderOperatorHome(viewOf(deps, request, null)));
      return htmlResponse(request, html, { status: 200, isPrivate: true });
    },
    {
      operator: true,
      response: replies({ 200: { description: 'The page.', contentType: 'text/html' } }),
      limit: 'none',
      hidden: true,
      detail: { summary: 'Open the page that leads to the pages of the operator' },
    },
  );

function linkIsUsed(): DomainError {
  return new DomainError('not_found', 'This link has been used or has expired.', {
    hint: `A link works once, within ${operatorLinkMinutes} minutes. \`hub operator-link\` on the machine of the hub prints another.`,
  });
}
