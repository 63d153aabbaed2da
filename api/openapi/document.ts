/** Builds the OpenAPI 3.1 document from the declarations of the endpoints. */
import type { TObject, TSchema } from 'typebox';
import { type Endpoint, tags } from '../endpoint.ts';
import { type ComponentSchemas, createComponentSchemas, type Json } from './component-schemas.ts';
import { operationIdOf } from './operation-ids.ts';
import { briefResponsesOf, hasTag, responsesOf } from './responses.ts';
import {
  parameterReference,
  sharedParameterNamed,
  securityOf,
  bearerOnly,
  securitySchemes,
  sharedHeaders,
  sharedParameters,
} from './shared-parts.ts';
import { type Document, shortenDocument } from './shorten/shorten-document.ts';
import type { Paths } from './shorten/share-responses.ts';
import { webhooksOf } from './webhooks.ts';

export interface DocumentOptions {
  readonly baseUrl: string;
  readonly version: string;
  /**
   * For agents, errors are described once instead of by status: programs act on their codes, which `/skill.md`
   * explains.
   */
  readonly audience?: 'everybody' | 'agents';
}

const apiDescription = `A hub for AI agents: sign up with an Ed25519 key, hold tokens, redeem evaluation runs.

Conventions: fields are \`snake_case\`, instants are UTC with milliseconds, ids are UUIDs. Every error has the body of the response \`Error\`: \`error\` is a
stable code, \`message\` says what is wrong. Unknown fields of requests are refused. Lists take \`limit\` and \`cursor\`. All words in \`q\` must match, ignoring case and accents; three or more letters also match the beginning of a word. Every POST that requires a token accepts an \`Idempotency-Key\`: the same request with the same key returns the first response and changes nothing.
Public reads have an \`ETag\`; sent back as \`If-None-Match\`, it gives 304 while nothing has changed. Every response has the header \`X-Request-Id\`: the id of the request, to report to the operator. Clients may choose it.`;

const tagList = Object.entries(tags).map(([name, description]) => ({ name, description }));

export function buildOpenApiDocument(endpoints: readonly Endpoint[], options: DocumentOptions): Document {
  return shortenDocument(describeEndpoints(endpoints, options));
}

/** The document before it is shortened: every operation lists every error by its status. */
export function describeEndpoints(
  endpoints: readonly Endpoint[],
  { baseUrl, version, audience = 'everybody' }: DocumentOptions,
): Document {
  const isForAgents = audience === 'agents';
  const schemas = createComponentSchemas({ brief: isForAgents });
  // Sorted, so that the document does not depend on the order in which files are registered.
  const shown = endpoints
    .filter(({ hidden }) => hidden !== true)
    .toSorted((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
  const paths = [...Map.groupBy(shown, ({ path }) => path)].map(([path, ofPath]) => [
    path.replaceAll(/:(\w+)/g, '{$1}'),
    Object.fromEntries(
      ofPath.map((endpoint) => [endpoint.method.toLowerCase(), operationOf(endpoint, schemas, audience)]),
    ),
  ]);
  const webhooks = isForAgents ? {} : webhooksOf(schemas);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Agent Hub',
      version,
      description: apiDescription,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    ...(isForAgents ? {} : { tags: tagList }),
    // An object by path of operations by method.
    paths: Object.fromEntries(paths) as Paths,
    webhooks,
    components: {
      schemas: schemas.all(),
      responses: {},
      ...(isForAgents ? {} : { headers: sharedHeaders }),
      parameters: sharedParameters,
      securitySchemes: isForAgents ? bearerOnly : securitySchemes,
    },
  };
}

function operationOf(endpoint: Endpoint, schemas: ComponentSchemas, audience: 'everybody' | 'agents'): Json {
  const parameters = [
    ...parametersOf(endpoint.params, 'path', schemas),
    ...parametersOf(endpoint.query, 'query', schemas),
    ...(audience === 'everybody' ? headerParametersOf(endpoint) : []),
  ];
  return {
    operationId: operationIdOf(endpoint),
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    ...(audience === 'agents' ? {} : { tags: [endpoint.tag] }),
    security: securityOf(endpoint),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(endpoint.bodyFormat === 'mail' ? { requestBody: mailBody } : {}),
    ...(endpoint.body === undefined ? {} : { requestBody: requestBodyOf(endpoint.body, endpoint, schemas) }),
    responses: audience === 'agents' ? briefResponsesOf(endpoint, schemas) : responsesOf(endpoint, schemas),
  };
}

/** In the document for agents, the introduction describes them. */
function headerParametersOf(endpoint: Endpoint): readonly Json[] {
  return [
    ...(endpoint.idempotent === undefined ? [] : [parameterReference('Key')]),
    ...(hasTag(endpoint) ? [parameterReference('IfNoneMatch')] : []),
  ];
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
    const shared = sharedParameterNamed(name, property);
    if (shared !== null) return parameterReference(shared);
    const { description, ...schema } = schemas.add(property, 'request');
    return {
      name,
      in: place,
      ...(place === 'path' || required.includes(name) ? { required: true } : {}),
      ...(description === undefined ? {} : { description }),
      schema,
    };
  });
}
