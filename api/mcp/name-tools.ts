/** Hints of the API name endpoints. In tool results, they name the tool that calls the endpoint instead. */
import type { Tool } from './tool.ts';

export type NameTools = (hint: string) => string;

/** An endpoint in a hint, such as `GET /v1/agents` or `POST /v1/webhooks/{id}/verify`. */
const named = /\b(GET|POST|PATCH|DELETE) (\/v1\/[\w/{}:-]*[\w}])/g;

export function createNameTools(tools: readonly Tool[]): NameTools {
  const names = new Map(
    tools.flatMap(({ name, routes }) =>
      routes
        .flatMap(({ endpoint, orElse }) => [endpoint, ...(orElse === undefined ? [] : [orElse.endpoint])])
        .map(({ method, path }) => [keyOf(method, path), name] as const),
    ),
  );
  return (hint) =>
    hint.replaceAll(named, (text, method: string, path: string) => names.get(keyOf(method, path)) ?? text);
}

/** Independent of the names of parameters. */
function keyOf(method: string, path: string): string {
  return `${method} ${path.replaceAll(/:\w+|\{\w+\}/g, '*')}`;
}
