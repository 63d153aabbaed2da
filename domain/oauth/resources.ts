/** The addresses that OAuth tokens are for (RFC 8707). One token serves all of them. */
import { withOneLoopbackName } from '#runtime/inbound-http/host-names.ts';
import { DomainError } from '../errors.ts';

/** Mixed: public tools need no token. `/mcp/me` wants one for everything. */
export const mcpPaths = ['/mcp', '/mcp/me'] as const;

export type McpPath = (typeof mcpPaths)[number];

/**
 * A client that names no resource gets a token for these addresses, because the hub issues no others.
 * @throws DomainError invalid_target
 */
export function requireResource(baseUrl: string, resource: string | null): void {
  if (resource === null) return;
  const given = withOneLoopbackName(resource.replace(/\/$/, ''));
  if (mcpPaths.some((path) => given === withOneLoopbackName(baseUrl + path))) return;
  throw new DomainError(
    'invalid_target',
    `\`resource\` must be ${mcpPaths.map((path) => baseUrl + path).join(' or ')}.`,
  );
}

/** Where a client finds out how to get a token for the address (RFC 9728 section 3.1). */
export function resourceMetadataUrl(baseUrl: string, path: McpPath): string {
  return `${baseUrl}/.well-known/oauth-protected-resource${path}`;
}
