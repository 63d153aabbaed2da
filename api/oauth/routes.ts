/** OAuth for MCP hosts: registration of clients, tokens and their revocation. Consent is given on the site. */
import { Elysia } from 'elysia';
import { type Static, Type } from 'typebox';
import { isDocumentId } from '#domain/oauth/client-metadata.ts';
import type { IssuedGrant } from '#domain/oauth/grant-tokens.ts';
import { exchangeCode } from '#domain/oauth/issue-grant.ts';
import { refreshGrant } from '#domain/oauth/refresh-grant.ts';
import { findRegisteredClient, registerClient } from '#domain/oauth/registered-clients.ts';
import { revokeOauthToken } from '#domain/oauth/revoke-grant.ts';
import { scopeText } from '#domain/oauth/scopes.ts';
import type { Ctx } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { respond } from '../endpoint.ts';
import { oauthPaths, requireMcp } from './oauth-paths.ts';
import { component, named } from '../schemas.ts';
import { created, done, edge, input, ok, whenDone } from '../plugins/edge.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));

const TokenRequest = named('OauthTokenRequest', {
  grant_type: Type.String({ description: '`authorization_code` or `refresh_token`.' }),
  client_id: Type.String(),
  code: text('For `authorization_code`.'),
  code_verifier: text('For `authorization_code`.'),
  redirect_uri: text('For `authorization_code`: the same as in the authorization request.'),
  refresh_token: text('For `refresh_token`.'),
  scope: text('For `refresh_token`: at most the granted scopes.'),
  resource: text("The hub's MCP address."),
});

function grantOf(
  ctx: Ctx,
  fields: Static<typeof TokenRequest>,
  common: { readonly clientId: string; readonly resource: string | null },
): Promise<IssuedGrant> {
  switch (fields.grant_type) {
    case 'authorization_code':
      return exchangeCode(ctx, {
        ...common,
        code: required('code', fields.code),
        codeVerifier: required('code_verifier', fields.code_verifier),
        redirectUri: fields.redirect_uri ?? null,
      });
    case 'refresh_token':
      return refreshGrant(ctx, {
        ...common,
        refreshToken: required('refresh_token', fields.refresh_token),
        scope: fields.scope ?? null,
      });
    default:
      throw new DomainError(
        'unsupported_grant_type',
        '`grant_type` must be `authorization_code` or `refresh_token`.',
      );
  }
}

function required(name: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new DomainError('invalid_request', `\`${name}\` is missing.`);
}

function tokenResponse({ accessToken, refreshToken, expiresInSeconds, scopes }: IssuedGrant) {
  return respond(
    200,
    {
      access_token: accessToken,
      token_type: 'Bearer' as const,
      expires_in: expiresInSeconds,
      refresh_token: refreshToken,
      scope: scopeText(scopes),
    },
    { 'cache-control': 'no-store', pragma: 'no-cache' },
  );
}

/** Clients find these in the authorization server metadata, not in the document. */
const oauth = { anyone: true, describesErrors: true, hidden: true, requires: requireMcp } as const;

export const oauthRoutes = new Elysia({ tags: ['agents'] })
  .use(edge)
  .post(
    oauthPaths.register,
    async ({ ctx, body }) => {
      const { id, name, redirectUris, createdAt } = await registerClient(ctx, { metadata: body });
      return respond(
        201,
        {
          client_id: id,
          client_id_issued_at: Math.floor(createdAt.getTime() / 1_000),
          client_name: name,
          redirect_uris: [...redirectUris],
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
        },
        { 'cache-control': 'no-store' },
      );
    },
    {
      ...oauth,
      limit: 'registrations',
      body: input(
        component(
          'OauthClientMetadata',
          Type.Record(Type.String(), Type.Unknown(), {
            description:
              '`redirect_uris` is required; `client_name` is shown to people. Other fields are ignored.',
          }),
        ),
      ),
      response: created(
        'The client.',
        named('OauthClient', {
          client_id: Type.String(),
          client_id_issued_at: Type.Integer({ description: 'In seconds since 1970.' }),
          client_name: Type.String(),
          redirect_uris: Type.Array(Type.String()),
          grant_types: Type.Array(Type.String()),
          response_types: Type.Array(Type.String()),
          token_endpoint_auth_method: Type.String(),
        }),
      ),
      errors: ['not_found', 'invalid_redirect_uri', 'invalid_client_metadata'],
      detail: {
        summary: 'Register an OAuth client',
        description:
          'RFC 7591, for MCP hosts without a client ID metadata document. Clients are public: they get no secret. A registration counts as a sign-up, and is deleted if it is not used.',
      },
    },
  )
  .post(
    oauthPaths.token,
    async ({ ctx, body }) => {
      const { client_id: clientId, resource = null } = body;
      // A host whose registration was deleted registers again.
      if (!isDocumentId(clientId)) await findRegisteredClient(ctx, clientId);
      return tokenResponse(await grantOf(ctx, body, { clientId, resource }));
    },
    {
      ...oauth,
      bodyFormat: 'form',
      body: input(TokenRequest),
      response: ok(
        'The tokens.',
        named('OauthTokenResponse', {
          access_token: Type.String(),
          token_type: Type.Literal('Bearer'),
          expires_in: Type.Integer({ description: 'In seconds.' }),
          refresh_token: Type.String(),
          scope: Type.String(),
        }),
      ),
      errors: [
        'not_found',
        'invalid_request',
        'invalid_client',
        'invalid_grant',
        'invalid_scope',
        'invalid_target',
        'unsupported_grant_type',
      ],
      detail: {
        summary: 'Get an OAuth token',
        description:
          'Exchanges a code with its PKCE verifier, or a refresh token, for tokens. An access token lasts an hour and works for MCP only. Each refresh token works once. Within 30 seconds, the same code or refresh token gets the same tokens again; using one later revokes the grant.',
      },
    },
  )
  .post(
    oauthPaths.revoke,
    ({ ctx, body }) => whenDone(revokeOauthToken(ctx, { token: body.token, clientId: body.client_id })),
    {
      ...oauth,
      bodyFormat: 'form',
      body: input(
        named('OauthRevocation', {
          token: Type.String({ description: 'An access token or a refresh token.' }),
          client_id: Type.String(),
          token_type_hint: text('Ignored.'),
        }),
      ),
      response: done('The token does not work.'),
      errors: ['not_found', 'invalid_request'],
      detail: {
        summary: 'Revoke an OAuth token',
        description:
          'RFC 7009. Ends the grant: its access token and its refresh tokens. Unknown tokens are a 200 too.',
      },
    },
  );
