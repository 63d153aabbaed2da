/**
 * Reads what a request says besides its body: its id, its host, its target and its idempotency key, and path and query
 * parameters, which are checked against schemas, as are the forms of OAuth.
 */
import type { TObject, TSchema } from 'typebox';
import { Settings } from 'typebox/system';
import { DomainError, type ErrorCode } from '#domain/errors.ts';
import { hostNameInUrl, hostNameOf, isLoopbackName } from '#runtime/inbound-http/host-names.ts';
import { compileSchema } from '#runtime/json-reader.ts';
import { isRequestId } from '#runtime/tracing/log.ts';
import { describeErrors } from '#runtime/validation-messages.ts';
import type { Endpoint } from '../endpoint.ts';
import { listOperation } from '../openapi/operation-ids.ts';
import { object } from '../schemas.ts';

/**
 * Returns the id that the client or a proxy sent, or a new UUIDv7. Ids of any other form are ignored, so that
 * foreign text reaches neither the log nor the headers sent to other services.
 */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id');
  return given !== null && isRequestId(given) ? given : Bun.randomUUIDv7();
}

/**
 * A name or an address, with an optional port. Stricter than RFC 9112 section 3.2, which allows characters
 * that no real host has, such as the comma that joins two `Host` headers.
 */
const hostForm = /^(?:\[[\da-f:.]{2,45}\]|[\w.-]{1,253})(?::\d{0,5})?$/i;

/** @throws DomainError invalid_parameter */
export function requireHost(request: Request): void {
  const host = request.headers.get('host');
  // HTTP/1.0 requests may lack a host. Bun rejects HTTP/1.1 requests that do.
  if (host === null || hostForm.test(host)) return;
  throw new DomainError(
    'invalid_parameter',
    'The header `Host` must be sent once and name one host, such as hub.example.org or 127.0.0.1:3000.',
  );
}

/**
 * The raw path and query of a request. The authority in `request.url` comes from the `Host` header, which may
 * be missing or malformed, so `request.url` is never parsed as a URL.
 */
export interface RequestTarget {
  /** Percent-encoded, from the first slash on. Empty if the target has no path, as with CONNECT. */
  readonly path: string;
  /** Without the question mark. Empty if there is none. */
  readonly query: string;
}

export function requestTargetOf({ url }: Pick<Request, 'url'>): RequestTarget {
  const start = pathStart(url);
  const mark = url.indexOf('?');
  if (mark === -1) return { path: url.slice(start), query: '' };
  return { path: url.slice(start, mark), query: url.slice(mark + 1) };
}

/** If the host does not make a valid URL, Bun returns only the target. */
function pathStart(url: string): number {
  if (url.startsWith('/')) return 0;
  const scheme = url.indexOf('://');
  const slash = scheme === -1 ? -1 : url.indexOf('/', scheme + '://'.length);
  return slash === -1 ? url.length : slash;
}

/** Whether requests to the endpoint may search. */
export function maySearch({ searches, query }: Pick<Endpoint, 'searches' | 'query'>): boolean {
  return searches === true || (query !== undefined && isSearch(new Set(Object.keys(query.properties))));
}

/** @param names of the parameters in the query */
export function isSearch(names: Pick<ReadonlySet<string>, 'has'>): boolean {
  return names.has('q') || names.has('skill');
}

const keyHeader = 'idempotency-key';
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** No header has a surrogate; a JSON string may. */
export const keyForm = /^[^\p{Cc}\p{Cs}]{1,200}$/u;
export const keyRule = 'be 1 to 200 characters long, without control characters';

/**
 * The key of a request, or null.
 * @throws DomainError invalid_parameter
 */
export function idempotencyKeyOf(request: Request): string | null {
  const header = request.headers.get(keyHeader);
  if (header === null) return null;
  const key = textOf(header);
  if (keyForm.test(key)) return key;
  throw new DomainError('invalid_parameter', `The header \`Idempotency-Key\` must ${keyRule}.`);
}

/** Bun decodes headers as Latin-1. If the bytes are valid UTF-8, the client meant UTF-8. */
function textOf(header: string): string {
  try {
    return utf8.decode(Buffer.from(header, 'latin1'));
  } catch {
    return header;
  }
}

/**
 * BASE_URL, with the name that the request uses for this machine. Any other name or port in `Host` changes nothing, nor
 * does any name if BASE_URL is not on this machine: whoever sends the request chooses `Host`.
 */
export function askedBaseUrl(baseUrl: string, { headers }: Pick<Request, 'headers'>): string {
  const host = headers.get('host');
  // Most requests.
  if (host === null || baseUrl.endsWith(`//${host}`)) return baseUrl;
  if (lastOwn.baseUrl !== baseUrl) lastOwn = { baseUrl, url: loopbackUrlOf(baseUrl) };
  const own = lastOwn.url;
  if (own === null || !isLoopbackName(hostNameOf(host))) return baseUrl;
  // Most others name no port. A URL takes longer to parse than all else here.
  if (own.port !== '' && !host.endsWith(own.port)) return baseUrl;
  const asked = URL.parse(`${own.protocol}//${host}${own.pathname}`);
  if (asked === null || asked.port !== own.port) return baseUrl;
  return asked.href.replace(/\/$/, '');
}

/** A process has one BASE_URL, and every request is compared with it. */
let lastOwn: { readonly baseUrl: string; readonly url: URL | null } = { baseUrl: '', url: null };

function loopbackUrlOf(text: string): URL | null {
  return isLoopbackName(hostNameInUrl(text) ?? '') ? new URL(text) : null;
}

type ParameterReader<Source> = (source: Source) => unknown;

/** An unknown name is quoted up to this many characters. */
const maxQuotedName = 60;
const none: Readonly<Record<string, never>> = Object.freeze({});

/**
 * For path parameters, already split and percent-decoded by the router.
 * @param list the path of the endpoint that lists what the first parameter names
 */
export function createPathReader(
  schema: TObject | undefined,
  list: string | null = null,
): ParameterReader<Readonly<Record<string, string>>> {
  if (schema === undefined) return () => none;
  const validator = createValidator(schema, 'invalid_parameter', 'The path');
  const converters = createConverters(schema);
  return (raw) => {
    const values: Record<string, unknown> = {};
    for (const { name, convert } of converters) values[name] = convert(raw[name] ?? '');
    try {
      validator.check(values);
    } catch (error) {
      if (!(error instanceof DomainError) || list === null) throw error;
      throw new DomainError(error.code, error.message, {
        ...error.extras,
        hint: `${listOperation(list)} lists them.`,
      });
    }
    return values;
  };
}

const noQuery = object({});

/**
 * For the query. The API rejects unknown names: a client that sends `page` would read the first page forever. Documents
 * and pages ignore them, because links often carry tracking parameters.
 */
export function createQueryReader({
  path,
  query = noQuery,
  responses,
}: Pick<Endpoint, 'path' | 'query' | 'responses'>): ParameterReader<Request> {
  const refuseUnknown = isForPrograms({ path, responses }) ? createUnknownCheck(query) : null;
  const validator = createValidator(query, 'invalid_parameter', 'The query');
  const converters = createConverters(query);
  return (request) => {
    const given = queryOf(request);
    refuseUnknown?.(given);
    const values: Record<string, unknown> = {};
    if (given !== undefined) {
      for (const { name, convert, isList } of converters) {
        const texts = given.getAll(name);
        if (texts[0] === undefined) continue;
        if (isList) values[name] = texts.map(convert);
        else if (texts.length > 1) throw repeated(name);
        else values[name] = convert(texts[0]);
      }
    }
    validator.check(values);
    return values;
  };
}

function queryOf(request: Request): URLSearchParams | undefined {
  const { query } = requestTargetOf(request);
  return query === '' ? undefined : new URLSearchParams(query);
}

/** Types of content that people link to. */
const forReaders = new Set(['text/html', 'text/calendar', 'image/svg+xml']);

/** Whether the endpoint belongs to the API, as opposed to pages, files and images that people link to. */
function isForPrograms({ path, responses }: Pick<Endpoint, 'path' | 'responses'>): boolean {
  return (
    path.startsWith('/v1/') &&
    Object.values(responses).every(({ contentType = 'application/json' }) => !forReaders.has(contentType))
  );
}

function createUnknownCheck(schema: TObject): (given: URLSearchParams | undefined) => void {
  const known = Object.keys(schema.properties);
  const names = new Set(known);
  return (given) => {
    const unknown = given?.keys().find((name) => !names.has(name));
    if (unknown === undefined) return;
    throw new DomainError(
      'invalid_parameter',
      `${JSON.stringify(unknown.slice(0, maxQuotedName))} is not a query parameter of this endpoint. ${
        known.length === 0 ? 'It takes none.' : `It takes: ${known.join(', ')}.`
      }`,
      { hint: 'Remove the parameter, or correct its name.' },
    );
  };
}

function repeated(name: string): DomainError {
  return new DomainError(
    'invalid_parameter',
    `\`${name}\` appears more than once in the query; send it once.`,
  );
}

type Converter = (text: string) => unknown;

interface Parameter {
  readonly name: string;
  readonly convert: Converter;
  /** Whether the parameter may be repeated. */
  readonly isList: boolean;
}

function createConverters(schema: TObject): readonly Parameter[] {
  return Object.entries(schema.properties).map(([name, property]) => {
    // Each property is a JSON schema; only its type matters here.
    const { type, items } = property as { type?: unknown; items?: { type?: unknown } };
    const isList = type === 'array';
    return { name, convert: converterOf(isList ? items?.type : type), isList };
  });
}

/** Text that does not fit the declared type stays text, and validation reports it. */
function converterOf(type: unknown): Converter {
  switch (type) {
    case 'integer':
    case 'number':
      return (text) => (/^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text);
    case 'boolean':
      return (text) => (text === 'true' ? true : text === 'false' ? false : text);
    default:
      return (text) => text;
  }
}

type OauthParameters = Readonly<Record<string, string>>;

/**
 * An empty parameter counts as omitted, and none may be repeated.
 * @throws DomainError invalid_request
 */
export function readOauthParameters(text: string): OauthParameters {
  const read: Record<string, string> = {};
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (seen.has(name)) {
      throw new DomainError(
        'invalid_request',
        `Each parameter may be sent once, but one is repeated${known(name)}.`,
      );
    }
    seen.add(name);
    if (value !== '') read[name] = value;
  }
  return read;
}

const plainName = /^[a-z_]{1,40}$/;

function known(name: string): string {
  return plainName.test(name) ? `: \`${name}\`` : '';
}

/** @returns a reader that ignores parameters which the schema does not have */
export function createFormReader(schema: TSchema): (text: string) => unknown {
  const validator = createValidator(schema, 'invalid_request', 'The form');
  // The schemas of forms are objects.
  const names = Object.keys((schema as { readonly properties?: object }).properties ?? {});
  return (text) => {
    const given = readOauthParameters(text);
    const picked = Object.fromEntries(
      names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
    );
    validator.check(picked);
    return picked;
  };
}

/**
 * The most errors collected for one value. Each branch of a union may report several before the union itself
 * does.
 */
const collectedErrorsMax = 64;
/** The most errors reported to the client. */
const reportedErrorsMax = 10;

Settings.Set({ maxErrors: collectedErrorsMax });

export interface Validator {
  /** @throws DomainError `code`, with the first error as message and all of them as detail */
  check(value: unknown): void;
}

/** @param rootName what messages call the value itself, such as "The body" */
export function createValidator(
  schema: TSchema,
  code: ErrorCode & ('invalid_body' | 'invalid_parameter' | 'invalid_request'),
  rootName: string,
): Validator {
  let compiled: ReturnType<typeof compileSchema> | undefined;
  return {
    check: (value) => {
      compiled ??= compileSchema(schema);
      if (compiled.Check(value)) return;
      const messages = describeErrors(compiled.Errors(value), schema, value, rootName);
      const [first = `${rootName} does not have the documented form.`] = messages;
      const reported = messages.slice(0, reportedErrorsMax);
      const omitted = messages.length - reported.length;
      const more = omitted > 0 ? ` There are ${omitted} more.` : '';
      throw new DomainError(code, first, messages.length > 1 ? { detail: reported.join(' ') + more } : {});
    },
  };
}
