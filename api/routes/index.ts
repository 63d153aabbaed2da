/** All endpoints of the hub, and the tools and resources declared beside them. */
import type { Endpoint } from '../endpoint.ts';
import type { Resource } from '../mcp/resources.ts';
import type { Tool } from '../mcp/tool.ts';
import { siteEndpoints } from '../site/site-endpoints.ts';
import { referenceEndpoints } from './reference.ts';
import * as routeFiles from './route-files.ts';

const lists: Readonly<Record<string, readonly (Endpoint | Tool | Resource)[]>> = routeFiles;
const declared = Object.values(lists).flat();

const apiEndpoints = declared.filter((one): one is Endpoint => 'method' in one);

export const hubEndpoints: readonly Endpoint[] = [
  ...apiEndpoints,
  ...siteEndpoints(apiEndpoints),
  ...referenceEndpoints(() => hubEndpoints),
];

/** Those that need no token come first, because some clients of MCP try the first. */
export const hubTools: readonly Tool[] = declared
  .filter((one): one is Tool => 'routes' in one)
  .toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)));

function isOpen({ routes }: Tool): boolean {
  return routes.every(({ endpoint }) => endpoint.auth === 'none');
}

export const hubResources: readonly Resource[] = declared.filter((one): one is Resource => 'uri' in one);
