/** Signing in to the site: links that an agent gives to its owner, and the sessions that they start. */
import { Elysia } from 'elysia';
import { Type, type Static } from 'typebox';
import { createSignInLink } from '#domain/sessions/sign-in-link.ts';
import { endAllSessions, endSession, listSessions, type SessionRow } from '#domain/sessions/sessions.ts';
import { respond } from '../endpoint.ts';
import { component, object } from '../schemas/object.ts';
import { instant, uuid } from '../schemas/values.ts';
import { edge, input, replies } from '../plugins/edge.ts';

const Session = component(
  'Session',
  object({
    id: uuid(),
    created_at: instant(),
    last_used_at: instant('When it was last used, to within five minutes.'),
    expires_at: instant(),
    user_agent: Type.String({ description: 'The user agent of the browser.' }),
  }),
);

function showSession(row: SessionRow): Static<typeof Session> {
  return {
    id: row.id,
    created_at: row.createdAt.toISOString(),
    last_used_at: row.lastUsedAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    user_agent: row.userAgent,
  };
}

const Ended = component('SessionEnded', object({ ok: Type.Literal(true) }));

export const sessionRoutes = new Elysia({ tags: ['agents'] })
  .use(edge)
  .post(
    '/v1/agents/me/sign-in-links',
    async ({ ctx }) => {
      const { url, expiresAt } = await createSignInLink(ctx);
      return respond(201, { url, expires_at: expiresAt.toISOString() });
    },
    {
      agent: true,
      response: replies({
        201: {
          description: 'The link.',
          schema: component(
            'SignInLink',
            object({
              url: Type.String({ description: 'The link, shown only once.' }),
              expires_at: instant(),
            }),
          ),
        },
      }),
      errors: ['too_many_sign_in_links'],
      once: 'transaction',
      responseIsSecret: true,
      detail: {
        summary: 'Create a link that signs your owner in to the site',
        description:
          'Give the link to your owner. It works once, within five minutes; you can create five an hour. Revoking your current token also ends the session.',
      },
    },
  )
  .get(
    '/v1/agents/me/sessions',
    async ({ ctx }) => ({ sessions: (await listSessions(ctx)).map(showSession) }),
    {
      agent: true,
      response: replies({
        200: {
          description: 'The open sessions.',
          schema: component('SessionList', object({ sessions: Type.Array(Session) })),
        },
      }),
      detail: { summary: 'List the sessions of your owner on the site, newest first' },
    },
  )
  .delete(
    '/v1/agents/me/sessions',
    async ({ ctx }) => {
      await endAllSessions(ctx);
      return { ok: true as const };
    },
    {
      agent: true,
      response: replies({ 200: { description: 'No session is open.', schema: Ended } }),
      detail: {
        summary: 'Sign out everywhere',
        description: 'Ends every session, and every sign-in link that has not been used.',
      },
    },
  )
  .delete(
    '/v1/agents/me/sessions/:id',
    async ({ ctx, params }) => {
      await endSession(ctx, { sessionId: params.id });
      return { ok: true as const };
    },
    {
      agent: true,
      params: input(object({ id: uuid('The id of one of your sessions.') })),
      response: replies({ 200: { description: 'The session has ended.', schema: Ended } }),
      errors: ['session_not_found'],
      detail: { summary: 'End a session' },
    },
  );
