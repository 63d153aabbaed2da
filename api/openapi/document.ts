/** Builds the OpenAPI 3.1 document from the declarations of the endpoints. */
import type { TObject, TSchema } from 'typebox';
import { type Endpoint, tags } from '../endpoint.ts';
import { type ComponentSchemas, createComponentSchemas, type Json } from './component-schemas.ts';
import { operationIdOf } from './operation-ids.ts';
import { errorResponse, hasTag, responsesOf, shortResponsesOf } from './responses.ts';
import {
  parameterReference,
  sharedParameterNamed,
  securityOf,
  securitySchemes,
  sharedHeaders,
  sharedParameters,
} from './shared-parts.ts';
import { handle, uuid } from '../schemas/values.ts';
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

Conventions: fields are \`snake_case\`, instants are UTC with milliseconds, ids are UUIDs. Every error has the body of the response \`Error\`: \`error\` is a
stable code, \`message\` says what is wrong. Unknown fields of requests are refused. Lists take \`limit\` and \`cursor\`. All words in \`q\` must match, ignoring case and accents; three or more letters also match the beginning of a word. Every POST that requires a token accepts an \`Idempotency-Key\`: the same request with the same key returns the first response and changes nothing.
Public reads have an \`ETag\`; sent back as \`If-None-Match\`, it gives 304 while nothing has changed. Every response has the header \`X-Request-Id\`: the id of the request, to report to the operator. Clients may choose it.`;

/** What most operations require, so it holds for those that say nothing else. */
const commonSecurity = securityOf({ auth: 'agent' });

const tagList = Object.entries(tags).map(([name, description]) => ({ name, description }));

/**
 * The document that the hub serves. It leaves out what its introduction says: that requests are closed, how conditional
 * reads work, and which errors any operation may return.
 */
export function buildOpenApiDocument(endpoints: readonly Endpoint[], options: DocumentOptions): Document {
  return describe(endpoints, options, true);
}

/** The whole document, for checks and generated types: every operation lists every error by its status. */
export function describeEndpoints(endpoints: readonly Endpoint[], options: DocumentOptions): Document {
  return describe(endpoints, options, false);
}

function describe(
  endpoints: readonly Endpoint[],
  { baseUrl, version }: DocumentOptions,
  short: boolean,
): Document {
  const schemas = createComponentSchemas(short);
  const context: Context = { schemas, short, parameters: short ? pathParametersOf(schemas) : {} };
  // Sorted, so that the document does not depend on the order in which files are registered.
  const shown = endpoints
    .filter(({ hidden }) => hidden !== true)
    .toSorted((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
  const paths: Paths = Object.fromEntries(
    [...Map.groupBy(shown, ({ path }) => path)].map(([path, ofPath]) => [
      path.replaceAll(/:(\w+)/g, '{$1}'),
      Object.fromEntries(
        ofPath.map((endpoint) => [endpoint.method.toLowerCase(), operationOf(endpoint, context)]),
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
    ...(short ? { security: commonSecurity } : {}),
    paths,
    webhooks,
    components: {
      responses: short ? { Error: errorResponse(schemas) } : {},
      ...(short ? {} : { headers: sharedHeaders }),
      parameters: used(paths, { ...sharedParameters, ...context.parameters }),
      securitySchemes: requiredBy(shown),
      // Last, when everything has added its schemas.
      schemas: schemas.all(),
    },
  };
}

/** Path parameters of many operations. */
function pathParametersOf(schemas: ComponentSchemas): Readonly<Record<string, Json>> {
  const parameter = (name: string, declared: TSchema & { description?: string }): Json => {
    const { description: _, ...schema } = declared;
    return { name, in: 'path', required: true, schema: schemas.add(schema, 'request') };
  };
  return {
    Id: parameter('id', uuid()),
    EventId: parameter('event_id', uuid()),
    Handle: parameter('handle', handle()),
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

interface Context {
  readonly schemas: ComponentSchemas;
  readonly short: boolean;
  readonly parameters: Readonly<Record<string, Json>>;
}

function operationOf(endpoint: Endpoint, context: Context): Json {
  const { schemas, short } = context;
  const security = securityOf(endpoint);
  const parameters = [
    ...parametersOf(endpoint.params, 'path', context),
    ...parametersOf(endpoint.query, 'query', context),
    ...headerParametersOf(endpoint, context),
  ];
  return {
    operationId: operationIdOf(endpoint),
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    tags: [endpoint.tag],
    ...(short && Bun.deepEquals(security, commonSecurity) ? {} : { security }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(endpoint.bodyFormat === 'mail' ? { requestBody: mailBody } : {}),
    ...(endpoint.bodyTypes === undefined ? {} : { requestBody: documentBodyOf(endpoint, schemas) }),
    ...(endpoint.body === undefined ? {} : { requestBody: requestBodyOf(endpoint.body, endpoint, schemas) }),
    responses: short ? shortResponsesOf(endpoint, schemas) : responsesOf(endpoint, schemas),
  };
}

function headerParametersOf(endpoint: Endpoint, { short }: Context): readonly Json[] {
  return [
    ...(endpoint.idempotent === undefined ? [] : [parameterReference('Key')]),
    ...(hasTag(endpoint) && !short ? [parameterReference('IfNoneMatch')] : []),
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
  { schemas, short, parameters }: Context,
): readonly Json[] {
  if (declared === undefined) return [];
  const required: readonly string[] = declared.required ?? [];
  return Object.entries(declared.properties).map(([name, property]) => {
    const shared = sharedParameterNamed(name, property);
    if (shared !== null) return parameterReference(shared);
    const { description, ...bare } = property as TSchema & { readonly description?: string };
    const schema = schemas.add(bare, 'request');
    if (short && place === 'path') {
      // The path says what it is.
      const parameter = { name, in: place, required: true, schema };
      const known = Object.entries(parameters).find(([, one]) => Bun.deepEquals(one, parameter));
      return known === undefined ? parameter : { $ref: `#/components/parameters/${known[0]}` };
    }
    return {
      name,
      in: place,
      ...(place === 'path' || required.includes(name) ? { required: true } : {}),
      ...(description === undefined ? {} : { description }),
      schema,
    };
  });
}
