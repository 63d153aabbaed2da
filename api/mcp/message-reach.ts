/** What an MCP message may reach. The gate asks before the message is handled. */
import type { ReachOf } from './gate.ts';
import type { McpSurface } from './mcp-servers.ts';
import type { OfficeEndpoints } from './office-servers.ts';
import { findResource } from './resources.ts';
import { routeFor, withPresentNames } from './tool.ts';

export function hubReachOf({ tools, resources }: McpSurface, baseUrl: string): ReachOf {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return ({ method, params }) => {
    if (method === 'resources/read' && typeof params['uri'] === 'string') {
      const found = findResource(resources, baseUrl, params['uri']);
      return found === null ? null : { endpoints: [found.resource.endpoint], given: found.parameters };
    }
    const tool = method === 'tools/call' ? byName.get(String(params['name'])) : undefined;
    if (tool === undefined) return null;
    const { arguments: sent } = params;
    const given = withPresentNames(tool, typeof sent === 'object' && sent !== null ? { ...sent } : {});
    const { endpoint, orElse } = routeFor(tool, given);
    return { endpoints: orElse === undefined ? [endpoint] : [endpoint, orElse.endpoint], given };
  };
}

/** Every tool of an office needs the token of the agent. */
export function officeReachOf(office: OfficeEndpoints): ReachOf {
  const reach = { endpoints: Object.values(office), given: {} };
  return ({ method }) => (method === 'tools/call' ? reach : null);
}
