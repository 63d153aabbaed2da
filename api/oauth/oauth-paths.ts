/** Where hosts find the authorization server. It exists for MCP, so it is off where MCP is. */
import { DomainError } from '#domain/errors.ts';
import type { ApiSettings } from '../deps.ts';

export const oauthPaths = {
  authorize: '/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const;

export function requireMcp({ mcp }: ApiSettings): void {
  if (mcp) return;
  throw new DomainError('not_found', 'This hub does not serve the Model Context Protocol.', {
    hint: 'Use the HTTP API: GET /skill.md shows how.',
  });
}

/** Public documents, which pages of any origin may read. */
export const forAllOrigins = { 'access-control-allow-origin': '*' };
