/**
 * Hints name the tool that does an operation, never a route: an MCP host cannot call one. A refusal of an unknown name
 * says the nearest one.
 */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { NameOperation } from '#domain/operation.ts';
import { nearestName } from '#runtime/validation-messages.ts';
import { nameRoute } from '../openapi/operation-ids.ts';
import type { McpSurface } from './resources.ts';

export function createNameTools({ tools, resources }: McpSurface, baseUrl: string): NameOperation {
  const names = new Map(
    tools.flatMap(({ name, names = {}, input = {}, calls }) =>
      calls.map(({ id, chosenBy }) => [
        id,
        {
          tool: name,
          argumentOf: (parameter: string) => names[parameter] ?? parameter,
          switches: chosenBy.filter((argument) => argument in input).map((argument) => [argument, true]),
        },
      ]),
    ),
  );
  const documents = new Map(resources.map(({ operation, uri }) => [operation, uri]));
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
