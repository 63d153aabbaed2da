/** The responses of an operation: those it declares, 304 for conditional reads, and its errors by status. */
import { Type } from 'typebox';
import type { ErrorCode } from '#domain/errors.ts';
import { errorCodesOf } from '../plugins/operations.ts';
import { errorTable, publicCode } from '../errors/error-table.ts';
import type { ResponseDeclaration, Endpoint } from '../endpoint.ts';
import { isTagged } from '../response/responses.ts';
import { component } from '../schemas.ts';
import type { ComponentSchemas, Json } from './component-schemas.ts';
import { header, headerReference, type SharedHeader } from './shared-parts.ts';

/** The body of every error. Additional fields are allowed: a few errors carry one of their own. */
const errorBody = component(
  'ApiError',
  Type.Object({
    error: Type.String({ description: 'A stable, machine-readable code.' }),
    message: Type.String({ description: 'What is wrong, in one sentence.' }),
    detail: Type.Optional(Type.String({ description: 'More detail about this request.' })),
    hint: Type.String({ description: 'What to do next.' }),
    request_id: Type.String({ description: 'The value of the `X-Request-Id` header.' }),
  }),
);

/** Codes with a status other than 429 and 503 that are temporary. */
const codesWithRetryAfter: ReadonlySet<ErrorCode> = new Set([
  'registration_in_progress',
  'request_in_progress',
]);

export function responsesOf(endpoint: Endpoint, schemas: ComponentSchemas): Json {
  const declared = Object.entries(endpoint.responses).map(
    ([status, declaration]) => [status, responseOf(endpoint, declaration, schemas)] as const,
  );
  const errors = [...Map.groupBy(errorCodesOf(endpoint), (code) => errorTable[code].status)].map(
    ([status, codes]) => [String(status), errorResponsesOf(status, codes.map(publicCode), schemas)] as const,
  );
  const unchanged = {
    description: 'Not modified.',
    ...headersOf(['ETag', ...(isPaged(endpoint) ? ['Link' as const] : [])]),
  };
  // JavaScript orders integer keys, so the statuses come out ascending.
  return Object.fromEntries([
    ...declared,
    ...(hasTag(endpoint) ? [['304', unchanged] as const] : []),
    ...errors,
  ]);
}

function namesOf(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\``).join(', ');
}

/** Whether the endpoint returns JSON that can be read conditionally. */
export function hasTag(endpoint: Endpoint): boolean {
  return isTagged(endpoint) && endpoint.responses[200]?.schema !== undefined;
}

function isPaged({ query }: Endpoint): boolean {
  return query !== undefined && 'cursor' in query.properties;
}

function responseOf(endpoint: Endpoint, declaration: ResponseDeclaration, schemas: ComponentSchemas): Json {
  const {
    description,
    schema,
    headers = {},
    contentType = 'application/json',
    otherContentTypes = [],
  } = declaration;
  const shared: SharedHeader[] = [];
  if (hasTag(endpoint) && endpoint.auth === 'none') shared.push('ETag');
  const keepsResponse = endpoint.idempotent === 'transaction' || endpoint.idempotent === 'after';
  if (keepsResponse && endpoint.responseIsSecret !== true) shared.push('Idempotent-Replayed');
  if (isPaged(endpoint)) shared.push('Link');
  const tagOfPublic = { ETag: 'Absent if the response shows what only you may see.' };
  const ownTexts: Readonly<Record<string, string>> =
    hasTag(endpoint) && endpoint.auth === 'optional' ? { ...headers, ...tagOfPublic } : headers;
  const own = Object.entries(ownTexts).map(([name, text]) => [name, header(text)]);
  const isAlsoMarkdown = endpoint.markdown !== undefined && declaration === endpoint.responses[200];
  const otherTypes = isAlsoMarkdown ? [...otherContentTypes, 'text/markdown'] : otherContentTypes;
  const body = schema === undefined ? { type: 'string' } : schemas.add(schema, 'response');
  return {
    description,
    ...headersOf(shared, Object.fromEntries(own)),
    // A JSON response without a schema has no body.
    ...(schema === undefined && contentType === 'application/json'
      ? {}
      : {
          content: {
            [contentType]: { schema: body },
            ...Object.fromEntries(otherTypes.map((type) => [type, {}])),
          },
        }),
  };
}

function errorResponsesOf(status: number, codes: readonly ErrorCode[], schemas: ComponentSchemas): Json {
  const shared: SharedHeader[] = [];
  const isTemporary = status === 429 || status === 503;
  const waitable = codes.filter((code) => !code.endsWith('_not_configured'));
  if (isTemporary && waitable.length === codes.length) shared.push('Retry-After');
  if (status === 401) shared.push('WWW-Authenticate');
  // Other statuses have the header if one of their codes sets it.
  const mayRetry =
    !shared.includes('Retry-After') && waitable.some((code) => isTemporary || codesWithRetryAfter.has(code));
  const own = mayRetry
    ? { 'Retry-After': header('Seconds after which a retry may succeed.', 'integer') }
    : {};
  const schema = { allOf: [schemas.add(errorBody, 'response'), { properties: { error: { enum: codes } } }] };
  return {
    description: namesOf(codes),
    ...headersOf(shared, own),
    content: { 'application/json': { schema } },
  };
}

function headersOf(names: readonly SharedHeader[], own: Json = {}): Json {
  const headers = { ...Object.fromEntries(names.map((name) => [name, headerReference(name)])), ...own };
  return Object.keys(headers).length === 0 ? {} : { headers };
}
