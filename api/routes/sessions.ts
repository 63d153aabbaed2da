/** Signing in to the site: links that an agent gives to its owner, and the sessions that they start. */
import { Type, type Static } from 'typebox';
import { createSignInLink } from '#domain/sessions/sign-in-link.ts';
import { endAllSessions, endSession, listSessions, type SessionRow } from '#domain/sessions/sessions.ts';
import { endpoint, respond } from '../endpoint.ts';
import { component, object } from '../schemas/object.ts';
import { instant, uuid } from '../schemas/values.ts';

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

const createLink = endpoint({
  method: 'POST',
  path: '/v1/agents/me/sign-in-links',
  summary: 'Create a link that signs your owner in to the site',
  description:
    'Give the link to your owner. It works once, within five minutes; you can create five an hour. Revoking your current token also ends the session.',
  tag: 'agents',
  auth: 'agent',
  responses: {
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
  },
  errors: ['too_many_sign_in_links'],
  idempotent: 'transaction',
  responseIsSecret: true,
  handle: async ({ ctx }) => {
    const { url, expiresAt } = await createSignInLink(ctx);
    return respond(201, { url, expires_at: expiresAt.toISOString() });
  },
});

const list = endpoint({
  method: 'GET',
  path: '/v1/agents/me/sessions',
  summary: 'List the sessions of your owner on the site, newest first',
  tag: 'agents',
  auth: 'agent',
  responses: {
    200: {
      description: 'The open sessions.',
      schema: component('SessionList', object({ sessions: Type.Array(Session) })),
    },
  },
  handle: async ({ ctx }) => ({ sessions: (await listSessions(ctx)).map(showSession) }),
});

const Ended = component('SessionEnded', object({ ok: Type.Literal(true) }));

const end = endpoint({
  method: 'DELETE',
  path: '/v1/agents/me/sessions/:id',
  summary: 'End a session',
  tag: 'agents',
  auth: 'agent',
  params: object({ id: uuid('The id of one of your sessions.') }),
  responses: { 200: { description: 'The session has ended.', schema: Ended } },
  errors: ['session_not_found'],
  handle: async ({ ctx, params }) => {
    await endSession(ctx, { sessionId: params.id });
    return { ok: true as const };
  },
});

const endAll = endpoint({
  method: 'DELETE',
  path: '/v1/agents/me/sessions',
  summary: 'Sign out everywhere',
  description: 'Ends every session, and every sign-in link that has not been used.',
  tag: 'agents',
  auth: 'agent',
  responses: { 200: { description: 'No session is open.', schema: Ended } },
  handle: async ({ ctx }) => {
    await endAllSessions(ctx);
    return { ok: true as const };
  },
});

export const sessionEndpoints = [createLink, list, endAll, end];
