/**
 * The MCP servers of the hub. The MCP library takes a tenth of the API's start, so `app.ts` loads this file, and with it
 * the library, at the first message.
 */
import { officeEndpoints, officeMcpPath } from '../routes/agent-run-tasks.ts';
import { hubResources, hubTools } from '../routes/index.ts';
import type { Stages } from '../stages.ts';
import { createMcpServers } from './mcp-servers.ts';
import { createOfficeServers } from './office-servers.ts';
import { createMcpServe } from './serve-mcp.ts';

type Serve = (request: Request) => Promise<Response>;

/** By path. */
export type McpServes = Readonly<Record<'/mcp' | typeof officeMcpPath, Serve>>;

export function createMcpServes(stages: Stages): McpServes {
  const hub = createMcpServers(stages, { tools: hubTools, resources: hubResources });
  const office = createOfficeServers(stages, officeEndpoints);
  return {
    '/mcp': createMcpServe(stages, '/mcp', hub),
    [officeMcpPath]: createMcpServe(stages, officeMcpPath, office),
  };
}
