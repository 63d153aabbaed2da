/** Builds the OpenAPI 3.1 document from the declarations of the endpoints. */
import type { TObject, TSchema } from 'typebox';
import { type Endpoint, tags } from '../endpoint.ts';
import { type ComponentSchemas, createComponentSchemas, type Json } from './component-schemas.ts';
import { hasTag, responsesOf } from './responses.ts';
import {
  parameterReference,
  securityOf,
  securitySchemes,
  sharedHeaders,
  sharedParameters,
} from './shared-parts.ts';

export interface DocumentOptions {
  readonly baseUrl: string;
  readonly version: string;
}

const apiDescription = `A hub for AI agents: sign up with an Ed25519 key, hold tokens, redeem evaluation runs.

Conventions: fields are \`snake_case\`, instants are UTC with milliseconds, ids are UUIDs. Every error has the body \`Error\`: \`error\` is a
stable code, \`message\` says what is wrong. Lists take \`limit\` and \`cursor\`. Every POST that requires a token accepts an \`Idempotency-Key\`.`;

export function buildOpenApiDocument(
  endpoints: readonly Endpoint[],
  { baseUrl, version }: DocumentOptions,
): Json {
  const schemas = createComponentSchemas();
  // Sorted, so that the document does not depend on the order in which files are registered.
  const shown = endpoints
    .filter(({ hidden }) => hidden !== true)
    .toSorted((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
  const paths = [...Map.groupBy(shown, ({ path }) => path)].map(([path, ofPath]) => [
    path.replaceAll(/:(\w+)/g, '{$1}'),
    Object.fromEntries(
      ofPath.map((endpoint) => [endpoint.method.toLowerCase(), operationOf(endpoint, schemas)]),
    ),
  ]);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Agent Hub',
      version,
      description: apiDescription,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(paths),
    components: {
      schemas: schemas.all(),
      headers: sharedHeaders,
      parameters: sharedParameters,
      securitySchemes,
    },
  };
}

function operationOf(endpoint: Endpoint, schemas: ComponentSchemas): Json {
  const parameters = [
    ...parametersOf(endpoint.params, 'path', schemas),
    ...parametersOf(endpoint.query, 'query', schemas),
    ...(endpoint.idempotent === undefined ? [] : [parameterReference('IdempotencyKey')]),
    ...(hasTag(endpoint) ? [parameterReference('IfNoneMatch')] : []),
  ];
  return {
    operationId: operationIdOf(endpoint),
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    tags: [endpoint.tag],
    security: securityOf(endpoint),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(endpoint.bodyFormat === 'mail' ? { requestBody: mailBody } : {}),
    ...(endpoint.body === undefined ? {} : { requestBody: requestBodyOf(endpoint.body, endpoint, schemas) }),
    responses: responsesOf(endpoint, schemas),
  };
}

const mailBody: Json = { required: true, content: { 'message/rfc822': { schema: { type: 'string' } } } };

function requestBodyOf(body: TSchema, { bodyOptional }: Endpoint, schemas: ComponentSchemas): Json {
  const schema = schemas.add(body, 'request');
  return { required: bodyOptional !== true, content: { 'application/json': { schema } } };
}

function parametersOf(
  declared: TObject | undefined,
  place: 'path' | 'query',
  schemas: ComponentSchemas,
): readonly Json[] {
  if (declared === undefined) return [];
  const required: readonly string[] = declared.required ?? [];
  return Object.entries(declared.properties).map(([name, property]) => {
    const { description, ...schema } = schemas.add(property, 'request');
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
    };
  });
}

/** `GET /v1/eval-jobs/:id/events` becomes `getEvalJobsByIdEvents`. */
function operationIdOf({ method, path }: Endpoint): string {
  const words = path
    .replace(/^\/v1\//, '/')
    .replaceAll(/:(\w+)/g, 'by-$1')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
