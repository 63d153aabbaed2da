/** How MCP hosts find out where to get a token: RFC 9728 for the MCP addresses, RFC 8414 for the hub as the issuer. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { type McpPath, mcpPaths } from '#domain/oauth/resources.ts';
import { allScopes } from '#domain/oauth/scopes.ts';
import { respond } from '../endpoint.ts';
import { edge, ok } from '../plugins/edge.ts';
import { forAllOrigins, oauthPaths, requireMcp } from './oauth-paths.ts';
import { named } from '../schemas.ts';

const ProtectedResource = named('ProtectedResource', {
  resource: Type.String({ description: 'The address of the MCP server.' }),
  authorization_servers: Type.Array(Type.String()),
  scopes_supported: Type.Array(Type.String()),
  bearer_methods_supported: Type.Array(Type.String()),
  resource_name: Type.String(),
  resource_documentation: Type.String(),
});

const resourcePath = '/.well-known/oauth-protected-resource';

/** The document has the addresses at the root only: clients find the others by their RFCs. */
function protectedResource(path: string, resource: McpPath, hidden: boolean) {
  return new Elysia({ tags: ['service'] }).use(edge).get(
    path,
    ({ ctx }) => {
      const { baseUrl, identity } = ctx.rules;
      const body = {
        resource: baseUrl + resource,
        authorization_servers: [baseUrl],
        scopes_supported: [...allScopes],
        bearer_methods_supported: ['header'],
        resource_name: identity.name,
        resource_documentation: `${baseUrl}/skill.md`,
      };
      return respond(200, body, forAllOrigins);
    },
    {
      anyone: true,
      response: ok('The metadata.', ProtectedResource),
      errors: ['not_found'],
      limit: 'none',
      requires: requireMcp,
      hidden,
      detail: {
        summary: `Get the protected resource metadata of ${resource}`,
        description: 'RFC 9728: where OAuth clients get a token for this address, and for which scopes.',
      },
    },
  );
}

const AuthorizationServer = named('AuthorizationServer', {
  issuer: Type.String(),
  authorization_endpoint: Type.String(),
  token_endpoint: Type.String(),
  registration_endpoint: Type.String(),
  revocation_endpoint: Type.String(),
  scopes_supported: Type.Array(Type.String()),
  response_types_supported: Type.Array(Type.String()),
  response_modes_supported: Type.Array(Type.String()),
  grant_types_supported: Type.Array(Type.String()),
  token_endpoint_auth_methods_supported: Type.Array(Type.String()),
  revocation_endpoint_auth_methods_supported: Type.Array(Type.String()),
  code_challenge_methods_supported: Type.Array(Type.String()),
  authorization_response_iss_parameter_supported: Type.Boolean(),
  client_id_metadata_document_supported: Type.Boolean(),
  protected_resources: Type.Array(Type.String()),
  service_documentation: Type.String(),
});

const serverPath = '/.well-known/oauth-authorization-server';

/** Some clients take the address of the MCP server for the issuer, and look below its path. */
function authorizationServer(path: string, hidden: boolean) {
  return new Elysia({ tags: ['service'] }).use(edge).get(
    path,
    ({ ctx }) => {
      const { baseUrl } = ctx.rules;
      const body = {
        issuer: baseUrl,
        authorization_endpoint: baseUrl + oauthPaths.authorize,
        token_endpoint: baseUrl + oauthPaths.token,
        registration_endpoint: baseUrl + oauthPaths.register,
        revocation_endpoint: baseUrl + oauthPaths.revoke,
        scopes_supported: [...allScopes],
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_methods_supported: ['none'],
        revocation_endpoint_auth_methods_supported: ['none'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
        protected_resources: mcpPaths.map((one) => baseUrl + one),
        service_documentation: `${baseUrl}/skill.md`,
      };
      return respond(200, body, forAllOrigins);
    },
    {
      anyone: true,
      response: ok('The metadata.', AuthorizationServer),
      errors: ['not_found'],
      limit: 'none',
      requires: requireMcp,
      hidden,
      detail: {
        summary: 'Get the authorization server metadata',
        description: 'RFC 8414: the endpoints with which OAuth clients get tokens for MCP.',
      },
    },
  );
}

export const oauthDiscoveryRoutes = new Elysia()
  .use(protectedResource(resourcePath, '/mcp', false))
  .use(mcpPaths.map((path) => protectedResource(resourcePath + path, path, true)))
  .use(authorizationServer(serverPath, false))
  .use(mcpPaths.map((path) => authorizationServer(serverPath + path, true)));
