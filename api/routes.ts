/** All routes of the hub, and the tools and resources declared beside them. */
import { type AnyElysia, Elysia } from 'elysia';
import type { Endpoint } from './endpoint.ts';
import { invariant } from '#domain/errors.ts';
import type { McpSurface, Resource } from './mcp/resources.ts';
import { createTool, type Tool, type ToolDeclaration } from './mcp/tool.ts';
import { operationIdOf } from './openapi/operation-ids.ts';
import { operationsOf } from './plugins/operations.ts';
import { siteRoutes } from './site/site-routes.ts';
import { referenceRoutes } from './openapi/routes.ts';
import * as routeFiles from './route-files.ts';

const declared = Object.values(routeFiles) as readonly (
  | AnyElysia
  | readonly (ToolDeclaration | Resource)[]
)[];
const isModule = (one: (typeof declared)[number]): one is AnyElysia => one instanceof Elysia;

const apiModules = declared.filter(isModule);
const apiEndpoints = apiModules.flatMap(operationsOf);

export const hubModules: readonly AnyElysia[] = [
  ...apiModules,
  siteRoutes(apiEndpoints),
  referenceRoutes(() => hubEndpoints),
];

export const hubEndpoints: readonly Endpoint[] = hubModules.flatMap(operationsOf);

const besides = declared
  .filter((one): one is readonly (ToolDeclaration | Resource)[] => Array.isArray(one))
  .flat();
const byId = new Map(
  hubEndpoints.filter(({ hidden }) => hidden !== true).map((endpoint) => [operationIdOf(endpoint), endpoint]),
);

function operationNamed(id: string): Endpoint {
  const found = byId.get(id);
  invariant(found !== undefined, `No operation has the id ${id}.`);
  return found;
}

export const hubSurface: McpSurface = {
  // Those that need no token come first, because some clients of MCP try the first.
  tools: besides
    .filter((one): one is ToolDeclaration => 'operations' in one)
    .map((one) => createTool(one, operationNamed))
    .toSorted((a, b) => Number(isOpen(b)) - Number(isOpen(a))),
  resources: besides.filter((one): one is Resource => 'uri' in one),
  operationNamed,
};

function isOpen({ calls }: Tool): boolean {
  return calls.every(({ endpoint }) => endpoint.auth === 'none');
}
