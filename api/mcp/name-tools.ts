/**
 * Hints name the tool that does an operation, never a route: an MCP host cannot call one. A refusal of an unknown name
 * says the nearest one.
 */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { NameOperation } from '#domain/operation.ts';
import { nearestName } from '#runtime/validation-messages.ts';
import { nameRoute, operationIdOf } from '../openapi/operation-ids.ts';
import type { McpSurface } from './resources.ts';
import type { Tool, ToolRoute } from './tool.ts';

export function createNameTools({ tools, resources }: McpSurface, baseUrl: string): NameOperation {
  const names = new Map(
    tools.flatMap((tool) =>
      namedBy(tool).map(({ endpoint, names = {}, chosenBy = [] }) => [
        operationIdOf(endpoint),
        {
          tool: tool.name,
          argumentOf: (parameter: string) => names[parameter] ?? parameter,
          switches: chosenBy.filter((name) => name in (tool.switches ?? {})).map((name) => [name, true]),
        },
      ]),
    ),
  );
  const documents = new Map(resources.map(({ endpoint, uri }) => [operationIdOf(endpoint), uri]));
  return (name, parameters) => {
    const found = names.get(name);
    if (found === undefined) {
      const uri = documents.get(name);
      return uri === undefined ? wordsFor(name) : { words: `the resource ${baseUrl}${uri}` };
    }
    const given = Object.entries(parameters).map(([parameter, value]) => [
      found.argumentOf(parameter),
      value,
    ]);
    const all = [...given, ...found.switches];
    return all.length === 0 ? found.tool : `${found.tool} ${JSON.stringify(Object.fromEntries(all))}`;
  };
}

function namedBy(tool: Tool): readonly Pick<ToolRoute, 'endpoint' | 'names' | 'chosenBy'>[] {
  const { names } = tool.routes[0];
  const others = (tool.alsoNames ?? []).map((endpoint) => ({ endpoint, ...(names && { names }) }));
  return [...tool.routes, ...others];
}

/** For an operation without a tool. */
export function wordsFor(name: string): ReturnType<NameOperation> {
  return nameRoute(name, {}) === null ? null : { words: `the operation ${name} of the HTTP API` };
}

const shownMax = 60;

/** Names the nearest one, or all. */
export function unknownName(kind: 'tool' | 'prompt', given: string, known: readonly string[]): ProtocolError {
  const nearest = nearestName(given, known);
  const way = nearest === null ? `They are: ${known.join(', ')}.` : `Did you mean ${nearest}?`;
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no ${kind} named ${given.slice(0, shownMax)}. ${way}`,
  );
}
