/** The responses of an operation: those it declares, 304 for conditional reads, and its errors by status. */
import { Type } from 'typebox';
import type { ErrorCode } from '#domain/errors.ts';
import { errorCodesOf } from '../plugins/operations.ts';
import { errorTable, publicCode } from '../errors/error-table.ts';
import type { ResponseDeclaration, Endpoint } from '../endpoint.ts';
import { isTagged } from '../response/responses.ts';
import { component } from '../schemas/object.ts';
import type { ComponentSchemas, Json } from './component-schemas.ts';
import { errorReference, header, headerReference, type SharedHeader } from './shared-parts.ts';

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

/** The codes that any operation may return, by status in the order of the description. */
const commonCodes: Readonly<Record<string, readonly ErrorCode[]>> = {
  400: ['invalid_parameter', 'invalid_host', 'invalid_body'],
  401: ['missing_token', 'invalid_token'],
  403: ['agent_suspended'],
  409: ['idempotency_key_reused', 'request_in_progress'],
  413: ['body_too_large'],
  415: ['unsupported_media_type'],
  429: ['rate_limited'],
  500: ['internal_error'],
  503: ['database_unavailable', 'hub_frozen', 'database_pending'],
};

/** The response that describes the errors of any operation. */
export function errorResponse(schemas: ComponentSchemas): Json {
  const listed = Object.entries(commonCodes).map(([status, codes]) => `${status} ${namesOf(codes)}`);
  return {
    description: `Errors that any operation may return besides those it lists: ${listed.join('; ')}. Those with 429 and 503, and \`request_in_progress\`, have \`Retry-After\`; those with 401 have \`WWW-Authenticate\`.`,
    content: { 'application/json': { schema: schemas.add(errorBody, 'response') } },
  };
}

/** The declared responses, the statuses with codes of the operation's own, and all other errors as `default`. */
export function shortResponsesOf(endpoint: Endpoint, schemas: ComponentSchemas): Json {
  const declared = Object.entries(endpoint.responses).map(([status, declaration]) => {
    const { headers: _, ...response } = responseOf(endpoint, declaration, schemas);
    const own = Object.entries(declaration.headers ?? {}).map(([name, text]) => [name, header(text)]);
    // The summary of the operation says what a successful response is.
    const isPlain = (status === '200' || status === '201') && declaration.schema !== undefined;
    return [
      status,
      { ...response, ...(isPlain ? { description: 'OK' } : {}), ...headersOf([], Object.fromEntries(own)) },
    ] as const;
  });
  const codes = errorCodesOf(endpoint).map((code) => ({
    status: errorTable[code].status,
    code: publicCode(code),
  }));
  const special = codes.filter(({ status, code }) => commonCodes[status]?.includes(code) !== true);
  const own = [...Map.groupBy(special, ({ status }) => status)].map(
    ([status, ofStatus]) =>
      [String(status), errorsNamed([...new Set(ofStatus.map(({ code }) => code))])] as const,
  );
  return Object.fromEntries([...declared, ...own, ['default', { $ref: errorReference }] as const]);
}

function errorsNamed(codes: readonly ErrorCode[]): Json {
  return { $ref: errorReference, description: namesOf(codes) };
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
