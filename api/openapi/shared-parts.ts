/** Parts of the document that many operations refer to: headers, header parameters and security schemes. */
import type { TSchema } from 'typebox';
import type { Access, Endpoint } from '../endpoint.ts';
import { formatParameter, paging } from '../schemas.ts';
import { type Json, plainSchema } from './component-schemas.ts';

export const sharedHeaders = {
  'Retry-After': alwaysSent(header('Seconds after which a retry may succeed.', 'integer')),
  'WWW-Authenticate': alwaysSent(header('How to authenticate.')),
  ETag: alwaysSent(header('Identifies this version of the content, for `If-None-Match`.')),
  'Idempotent-Replayed': header(
    '`true` if this repeats the response to an earlier request with the same key.',
  ),
  Link: header('The next page, with `rel="next"`. Missing on the last page.'),
} as const satisfies Readonly<Record<string, Json>>;

export type SharedHeader = keyof typeof sharedHeaders;

export function headerReference(name: SharedHeader): Json {
  return { $ref: `#/components/headers/${name}` };
}

export function header(description: string, type = 'string'): Json {
  return { description, schema: { type } };
}

/** Marks a header that every response that lists it has. */
function alwaysSent(declared: Json): Json {
  return { ...declared, required: true };
}

export const sharedParameters = {
  Key: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes retries safe: for 24 hours, the same request with the same key returns the first successful response, with `Idempotent-Replayed: true`, and changes nothing.',
    schema: { type: 'string', minLength: 1, maxLength: 200 },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The `ETag` header of an earlier response. The response is 304 if the content has not changed.',
    schema: { type: 'string' },
  },
  Limit: queryParameter('limit', paging().limit),
  Cursor: queryParameter('cursor', paging().cursor),
  Format: queryParameter('format', formatParameter()),
} as const satisfies Readonly<Record<string, Json>>;

function queryParameter(name: string, declared: TSchema): Json {
  const { description, ...schema } = plainSchema(declared);
  return { name, in: 'query', description, schema };
}

/** The shared parameter with this name and schema, or null. */
export function sharedParameterNamed(name: string, schema: TSchema): keyof typeof sharedParameters | null {
  const own = queryParameter(name, schema);
  const shared = (['Limit', 'Cursor', 'Format'] as const).find((one) =>
    Bun.deepEquals(sharedParameters[one], own),
  );
  return shared ?? null;
}

export function parameterReference(name: keyof typeof sharedParameters): Json {
  return { $ref: `#/components/parameters/${name}` };
}

export const securitySchemes: Json = {
  bearerToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of an agent, from POST /v1/agents/verify. It begins with `hub_`.',
  },
  operatorKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'OPERATOR_KEY. If it is not set, clients on the hub’s own machine need no key.',
  },
  operatorPassword: {
    type: 'http',
    scheme: 'basic',
    description: 'The same key as the password, with any user name.',
  },
  inboxKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'INBOX_KEY, from the operator.',
  },
};

const security: Readonly<Record<Access, readonly Json[]>> = {
  none: [],
  optional: [{}, { bearerToken: [] }],
  agent: [{ bearerToken: [] }],
  maintainer: [{ bearerToken: [] }],
  operator: [{ operatorKey: [] }, { operatorPassword: [] }],
  inbox: [{ inboxKey: [] }],
};

export function securityOf({ auth }: Pick<Endpoint, 'auth'>): readonly Json[] {
  return security[auth];
}
