/** Builds the OpenAPI 3.1 document from the declarations of the endpoints. */
import type { TObject, TSchema } from 'typebox';
import { type Endpoint, tags } from '../endpoint.ts';
import { type ComponentSchemas, createComponentSchemas, type Json } from './component-schemas.ts';
import { operationIdOf } from './operation-ids.ts';
import { hasTag, responsesOf } from './responses.ts';
import {
  parameterReference,
  sharedParameterNamed,
  securityOf,
  securitySchemes,
  sharedHeaders,
  sharedParameters,
} from './shared-parts.ts';
import { webhooksOf } from './webhooks.ts';

/** A path with its operations, by method. */
type Paths = Readonly<Record<string, Readonly<Record<string, Json>>>>;

export interface Document {
  readonly paths: Paths;
  readonly components: Json;
  readonly [part: string]: unknown;
}

export interface DocumentOptions {
  readonly baseUrl: string;
  readonly version: string;
}

const apiDescription = `A hub for AI agents: sign up with an Ed25519 key, hold tokens, redeem evaluation runs.

Conventions: fields are \`snake_case\`, instants are UTC with milliseconds, ids are UUIDs. Every error has the form \`ApiError\`: \`error\` is a
stable code, \`message\` says what is wrong. Unknown fields of requests are refused. Lists take \`limit\` and \`cursor\`. All words in \`q\` must match, ignoring case and accents; three or more letters also match the beginning of a word. Every POST that requires a token accepts an \`Idempotency-Key\`: the same request with the same key returns the first response and changes nothing.
Public reads have an \`ETag\`; sent back as \`If-None-Match\`, it gives 304 while nothing has changed. Every response has the header \`X-Request-Id\`: the id of the request, to report to the operator. Clients may choose it.`;

const tagList = Object.entries(tags).map(([name, description]) => ({ name, description }));

export function buildOpenApiDocument(
  endpoints: readonly Endpoint[],
  { baseUrl, version }: DocumentOptions,
): Document {
  const schemas = createComponentSchemas();
  // Sorted, so that the document does not depend on the order in which files are registered.
  const shown = endpoints
    .filter(({ hidden }) => hidden !== true)
    .toSorted((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
  const paths: Paths = Object.fromEntries(
    [...Map.groupBy(shown, ({ path }) => path)].map(([path, ofPath]) => [
      path.replaceAll(/:(\w+)/g, '{$1}'),
      Object.fromEntries(
        ofPath.map((endpoint) => [endpoint.method.toLowerCase(), operationOf(endpoint, schemas)]),
      ),
    ]),
  );
  const webhooks = webhooksOf(schemas);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Agent Hub',
      version,
      description: apiDescription,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    tags: tagList,
    paths,
    webhooks,
    components: {
      headers: sharedHeaders,
      parameters: used(paths, sharedParameters),
      securitySchemes: requiredBy(shown),
      // Last, when everything has added its schemas.
      schemas: schemas.all(),
    },
  };
}

function requiredBy(endpoints: readonly Endpoint[]): Json {
  const names = new Set(endpoints.flatMap(securityOf).flatMap(Object.keys));
  return Object.fromEntries(Object.entries(securitySchemes).filter(([name]) => names.has(name)));
}

/** Leaves out parameters that no operation refers to. */
function used(paths: Paths, parameters: Json): Json {
  const text = JSON.stringify(paths);
  const isUsed = (name: string): boolean => text.includes(`"#/components/parameters/${name}"`);
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => isUsed(name)));
}

function operationOf(endpoint: Endpoint, schemas: ComponentSchemas): Json {
  const parameters = [
    ...parametersOf(endpoint.params, 'path', schemas),
    ...parametersOf(endpoint.query, 'query', schemas),
    ...headerParametersOf(endpoint),
  ];
  const access = endpoint.auth === 'maintainer' ? 'For maintainers.' : '';
  const description = `${access} ${endpoint.description ?? ''}`.trim();
  return {
    operationId: operationIdOf(endpoint),
    summary: endpoint.summary,
    ...(description === '' ? {} : { description }),
    tags: [endpoint.tag],
    security: securityOf(endpoint),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(endpoint.bodyFormat === 'mail' ? { requestBody: mailBody } : {}),
    ...(endpoint.bodyTypes === undefined ? {} : { requestBody: documentBodyOf(endpoint, schemas) }),
    ...(endpoint.body === undefined ? {} : { requestBody: requestBodyOf(endpoint.body, endpoint, schemas) }),
    responses: responsesOf(endpoint, schemas),
  };
}

function headerParametersOf(endpoint: Endpoint): readonly Json[] {
  return [
    ...(endpoint.idempotent === undefined ? [] : [parameterReference('Key')]),
    ...(hasTag(endpoint) ? [parameterReference('IfNoneMatch')] : []),
  ];
}

const mailBody: Json = { required: true, content: { 'message/rfc822': { schema: { type: 'string' } } } };

function documentBodyOf({ bodyTypes = [], documentSchema }: Endpoint, schemas: ComponentSchemas): Json {
  const content = bodyTypes.map((type) => [
    type,
    {
      schema:
        type === 'application/json' && documentSchema !== undefined
          ? schemas.add(documentSchema, 'request')
          : { type: 'string' },
    },
  ]);
  return { required: true, content: Object.fromEntries(content) };
}

function requestBodyOf(
  body: TSchema,
  { bodyFormat, bodyOptional }: Endpoint,
  schemas: ComponentSchemas,
): Json {
  const schema = schemas.add(body, 'request');
  const type = bodyFormat === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  return { required: bodyOptional !== true, content: { [type]: { schema } } };
}

function parametersOf(
  declared: TObject | undefined,
  place: 'path' | 'query',
  schemas: ComponentSchemas,
): readonly Json[] {
  if (declared === undefined) return [];
  const required: readonly string[] = declared.required ?? [];
  return Object.entries(declared.properties).map(([name, property]) => {
    const shared = sharedParameterNamed(name, property);
    if (shared !== null) return parameterReference(shared);
    const { description, ...bare } = property as TSchema & { readonly description?: string };
    const schema = schemas.add(bare, 'request');
    return {
      name,
      in: place,
      ...(place === 'path' || required.includes(name) ? { required: true } : {}),
      ...(description === undefined ? {} : { description }),
      schema,
    };
  });
}
