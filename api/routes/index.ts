/** All routes of the hub, and the tools and resources declared beside them. */
import { type AnyElysia, Elysia } from 'elysia';
import type { Endpoint } from '../endpoint.ts';
import type { Resource } from '../mcp/resources.ts';
import type { Tool } from '../mcp/tool.ts';
import { operationsOf } from '../plugins/operations.ts';
import { siteRoutes } from '../site/site-routes.ts';
import { referenceRoutes } from './reference.ts';
import * as routeFiles from './route-files.ts';

const declared = Object.values(routeFiles) as readonly (AnyElysia | readonly (Tool | Resource)[])[];
const isModule = (one: (typeof declared)[number]): one is AnyElysia => one instanceof Elysia;

const apiModules = declared.filter(isModule);
const apiEndpoints = apiModules.flatMap(operationsOf);

export const hubModules: readonly AnyElysia[] = [
  ...apiModules,
  siteRoutes(apiEndpoints),
  referenceRoutes(() => hubEndpoints),
];

export const hubEndpoints: readonly Endpoint[] = hubModules.flatMap(operationsOf);

const besides = declared.filter((one): one is readonly (Tool | Resource)[] => Array.isArray(one)).flat();

/** Those that need no token come first, because some clients of MCP try the first. */
export const hubTools: readonly Tool[] = besides
  .filter((one): one is Tool => 'routes' in one)
  .toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a)));

function isOpen({ routes }: Tool): boolean {
  return routes.every(({ endpoint }) => endpoint.auth === 'none');
}

export const hubResources: readonly Resource[] = besides.filter((one): one is Resource => 'uri' in one);
