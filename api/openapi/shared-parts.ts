/** The parts of the document that many operations refer to: headers, header parameters and ways to authenticate. */
import type { Access, Endpoint } from '../endpoint.ts';
import type { Json } from './component-schemas.ts';

export const sharedHeaders = {
  'X-Request-Id': alwaysSent(
    header('The id of the request, for asking the operator about it. A client may choose it.'),
  ),
  'Retry-After': alwaysSent(header('After how many seconds trying again may help.', 'integer')),
  'WWW-Authenticate': alwaysSent(header('How to authenticate.')),
  ETag: alwaysSent(header('Stands for the content, for `If-None-Match`.')),
  'Idempotent-Replayed': header(
    '`true` when the answer to an earlier request with the same key is repeated.',
  ),
  Link: header('Where the next page is, with `rel="next"`; missing on the last page.'),
} as const satisfies Readonly<Record<string, Json>>;

export type SharedHeader = keyof typeof sharedHeaders;

export function headerReference(name: SharedHeader): Json {
  return { $ref: `#/components/headers/${name}` };
}

export function header(description: string, type = 'string'): Json {
  return { description, schema: { type } };
}

/** Marks a header that is on every answer it is named for. */
function alwaysSent(declared: Json): Json {
  return { ...declared, required: true };
}

export const sharedParameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes repeating the request safe: for 24 hours, the same key with the same request replays the first answer that changed something.',
    schema: { type: 'string', minLength: 1, maxLength: 200 },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'An `ETag` answered before; the answer is 304 while it still holds.',
    schema: { type: 'string' },
  },
} as const satisfies Readonly<Record<string, Json>>;

export function parameterReference(name: keyof typeof sharedParameters): Json {
  return { $ref: `#/components/parameters/${name}` };
}

export const securitySchemes: Json = {
  bearerToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of an agent, as POST /v1/agents/verify gives it once. It begins with `hub_`.',
  },
  operatorKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'OPERATOR_KEY. Where it is not set, clients on the hub’s own machine need none.',
  },
  operatorPassword: {
    type: 'http',
    scheme: 'basic',
    description: 'The same key as a password, under any user name.',
  },
  inboxKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'INBOX_KEY, which the operator gives to those who work through the inbox.',
  },
};

const security: Readonly<Record<Access, readonly Json[]>> = {
  none: [],
  agent: [{ bearerToken: [] }],
  maintainer: [{ bearerToken: [] }],
  operator: [{ operatorKey: [] }, { operatorPassword: [] }],
  inbox: [{ inboxKey: [] }],
};

export function securityOf({ auth }: Endpoint): readonly Json[] {
  return security[auth];
}
