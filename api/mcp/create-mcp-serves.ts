/**
 * The MCP servers of the hub. The MCP library takes a tenth of the API's start, so `app.ts` loads this file, and with it
 * the library, at the first message.
 */
import type { McpPath } from '#domain/oauth/resources.ts';
import { createAuthenticate } from '../access/authenticate.ts';
import { hubSurface as surface } from '../routes.ts';
import type { Stages } from '../stages.ts';
import { createGate, hubReachOf } from './gate.ts';
import { createMcpServers } from './mcp-servers.ts';
import { createMcpServe } from './serve-mcp.ts';

type Serve = (request: Request) => Promise<Response>;

/** By path. */
export type McpServes = Readonly<Record<McpPath, Serve>>;

export function createMcpServes(shared: Stages): McpServes {
  // Only here may OAuth clients act.
  const stages = { ...shared, authenticate: createAuthenticate(shared.deps, 'mcp') };
  const hub = createMcpServers(stages, surface);
  const { baseUrl } = stages.deps.rules;
  const reachOf = hubReachOf(surface, baseUrl);
  const serveHub = (path: McpPath, isClosed: boolean): Serve =>
    createMcpServe(stages, path, hub, createGate(stages, { path, isClosed, reachOf }));
  return {
    '/mcp': serveHub('/mcp', false),
    '/mcp/me': serveHub('/mcp/me', true),
  };
}
