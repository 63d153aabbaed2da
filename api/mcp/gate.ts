/**
 * Turns away MCP messages that need a token or a scope, with a status and a challenge, so that hosts start OAuth. A result
 * with an error would only reach the model. The pipelines of the endpoints check everything again.
 */
import { askedBaseUrl } from '#runtime/inbound-http/host-names.ts';
import { type McpPath, resourceMetadataUrl } from '#domain/oauth/resources.ts';
import { allScopes, type Scope, scopeText } from '#domain/oauth/scopes.ts';
import { DomainError } from '#domain/errors.ts';
import { insufficientScope } from '../access/authenticate.ts';
import { type Endpoint, scopeOf } from '../endpoint.ts';
import type { Stages } from '../stages.ts';
import { findResource, type McpSurface } from './resources.ts';
import { operationFor } from './run-tool.ts';

export interface McpMessage {
  readonly method: unknown;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What a message may reach; null if the hub responds without an endpoint. */
export type ReachOf = (message: McpMessage) => Reach | null;

export interface Reach {
  readonly endpoints: readonly Endpoint[];
  /** The arguments. */
  readonly given: Readonly<Record<string, unknown>>;
}

export interface GateOptions {
  /** The address for which a client asks for a token. */
  readonly path: McpPath;
  /** Whether every message needs a token. */
  readonly isClosed: boolean;
  readonly reachOf: ReachOf;
}

/** A message that was turned away. */
export interface Refusal {
  readonly error: DomainError;
  /** For `WWW-Authenticate`. */
  readonly challenge: string;
}

export type Gate = (request: Request, message: McpMessage) => Promise<Refusal | null>;

export function createGate({ authenticate, deps }: Stages, { path, isClosed, reachOf }: GateOptions): Gate {
  return async (request, message) => {
    const { endpoints, given } = reachOf(message) ?? { endpoints: [], given: {} };
    const scopes = endpoints.filter(isPrivate).map((endpoint) => scopeOf(endpoint, given));
    const needed = allScopes.filter((scope) => scopes.includes(scope));
    if (!isClosed && needed.length === 0) return null;
    try {
      // The endpoint refuses suspended agents, with its own message.
      const options = { openToSuspended: true, withBalance: false, scope: null };
      const { scopes: granted } = await authenticate(request, options);
      const missing = needed.find((scope) => granted?.includes(scope) === false);
      if (missing === undefined || granted === null) return null;
      // With those that it has: a host asks for exactly these, and its new token replaces the old one.
      const wanted = allScopes.filter((scope) => granted.includes(scope) || needed.includes(scope));
      return {
        error: insufficientScope(missing),
        challenge: challengeWith(request, 'insufficient_scope', wanted),
      };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // With every scope: many hosts ask their owner once, and cannot add a scope to a grant that they can refresh.
      return { error, challenge: challengeWith(request, 'invalid_token', allScopes) };
    }
  };

  function challengeWith(request: Request, error: string, scopes: readonly Scope[]): string {
    const metadataUrl = resourceMetadataUrl(askedBaseUrl(deps.rules.baseUrl, request), path);
    return `Bearer error="${error}", scope="${scopeText(scopes)}", resource_metadata="${metadataUrl}"`;
  }
}

function isPrivate({ auth }: Endpoint): boolean {
  return auth === 'agent' || auth === 'maintainer';
}

export function hubReachOf({ tools, resources, operationNamed }: McpSurface, baseUrl: string): ReachOf {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return ({ method, params }) => {
    if (method === 'resources/read' && typeof params['uri'] === 'string') {
      const found = findResource(resources, baseUrl, params['uri']);
      if (found === null) return null;
      return { endpoints: [operationNamed(found.resource.operation)], given: found.parameters };
    }
    const tool = method === 'tools/call' ? byName.get(String(params['name'])) : undefined;
    if (tool === undefined) return null;
    const { arguments: sent } = params;
    const given = typeof sent === 'object' && sent !== null ? { ...sent } : {};
    return { endpoints: [operationFor(tool, given).endpoint], given };
  };
}
