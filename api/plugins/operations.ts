/** The operations of the hub, as its routes declare them: for the document, the tools, the forms and the checks. */
import type { AnyElysia } from 'elysia';
import type { TObject } from 'typebox';
import { invariant } from '#domain/errors.ts';
import type { Endpoint, EndpointFacts, Method, ResponseDeclaration, Tag } from '../endpoint.ts';
import { addFormat } from '../schemas/values.ts';
import type { Standard } from './edge.ts';

/** A route as Elysia keeps it. */
type Route = AnyElysia['routes'][number];

/** What `edge` and `input` leave with a route. */
interface Hooks {
  readonly params?: Standard<unknown, TObject>;
  readonly query?: Standard<unknown, TObject>;
  readonly body?: Standard<unknown, TObject> & { readonly isOptional?: true };
  readonly response?: Readonly<Record<string, Standard<unknown, ResponseDeclaration>>>;
  readonly detail: {
    readonly summary: string;
    readonly description?: string;
    readonly tags: readonly Tag[];
    readonly 'x-facts': Partial<EndpointFacts> & Pick<Endpoint, 'auth' | 'markdown' | 'prepare'>;
  };
}

/** A route has one operation, however often it is asked for: pipelines are kept by operation. */
const known = new WeakMap<object, Endpoint>();

/** All operations of a module, in the order of its routes. */
export function operationsOf(module: AnyElysia): readonly Endpoint[] {
  return module.routes.map(operationOf);
}

function operationOf(route: Route): Endpoint {
  const hooks = route.hooks as Hooks;
  const found = known.get(hooks.detail) ?? createOperation(route, hooks);
  known.set(hooks.detail, found);
  return found;
}

function createOperation({ method, path, handler }: Route, hooks: Hooks): Endpoint {
  const { params, query, body, response = {}, detail } = hooks;
  const {
    summary,
    description,
    tags: [tag = 'service'],
  } = detail;
  const facts = detail['x-facts'];
  const asked = facts.markdown === undefined ? query?.source : addFormat(query?.source);
  return {
    method: method as Method,
    path,
    summary,
    tag,
    ...(description === undefined ? {} : { description }),
    ...facts,
    ...(params === undefined ? {} : { params: params.source }),
    ...(asked === undefined ? {} : { query: asked }),
    ...(body === undefined ? {} : { body: body.source }),
    ...(body?.isOptional === true ? { bodyOptional: true } : {}),
    responses: Object.fromEntries(Object.entries(response).map(([status, { source }]) => [status, source])),
    // The schemas and the access of the route type its handler.
    handle: handler as unknown as Endpoint['handle'],
  };
}

/** @param name such as `GET /v1/threads/:id` */
export function operationAt(module: AnyElysia, name: string): Endpoint {
  const found = operationsOf(module).find(({ method, path }) => `${method} ${path}` === name);
  invariant(found !== undefined, `The module has no route ${name}.`);
  return found;
}
