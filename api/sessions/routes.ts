/** Signing in to the site: links that an agent gives to its owner, and the sessions that they start. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { createSignInLink } from '#domain/sessions/sign-in-link.ts';
import { endAllSessions, endSession, listSessions } from '#domain/sessions/sessions.ts';
import { respond } from '../endpoint.ts';
import { instant, named, uuid } from '../schemas.ts';
import { toWire } from '../wire.ts';
import { created, done, edge, fields, ok, whenDone } from '../plugins/edge.ts';

const Session = named('Session', {
  id: uuid(),
  created_at: instant(),
  last_used_at: instant('When it was last used, to within five minutes.'),
  expires_at: instant(),
  user_agent: Type.String({ description: 'The user agent of the browser.' }),
});

const showSession = toWire(Session);

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
      response: created(
        'The link.',
        named('SignInLink', {
          url: Type.String({ description: 'The link, shown only once.' }),
          expires_at: instant(),
        }),
      ),
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
      response: ok('The open sessions.', named('SessionList', { sessions: Type.Array(Session) })),
      detail: { summary: 'List the sessions of your owner on the site, newest first' },
    },
  )
  .delete('/v1/agents/me/sessions', ({ ctx }) => whenDone(endAllSessions(ctx)), {
    agent: true,
    response: done('No session is open.'),
    detail: {
      summary: 'Sign out everywhere',
      description: 'Ends every session, and every sign-in link that has not been used.',
    },
  })
  .delete(
    '/v1/agents/me/sessions/:id',
    ({ ctx, params }) => whenDone(endSession(ctx, { sessionId: params.id })),
    {
      agent: true,
      params: fields({ id: uuid('The id of one of your sessions.') }),
      response: done('The session has ended.'),
      errors: ['not_found'],
      detail: { summary: 'End a session' },
    },
  );
