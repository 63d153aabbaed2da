/** Makes the responses of the hub: results with their headers and tags, Markdown, documents, and errors. */
import type { DomainError, ErrorCode, ErrorExtras } from '#domain/errors.ts';
import { type NameOperation, nameOperations } from '#domain/operation.ts';
import { operatorChallenge } from '#runtime/inbound-http/operator-access.ts';
import { visibleText } from '#site/visible-text.ts';
import type { Endpoint, JsonResponse } from '../endpoint.ts';
import { errorTable, publicCode } from '../errors/error-table.ts';
import { nameRoute } from '../openapi/operation-ids.ts';
import { AbandonedBody } from '../request/body.ts';
import { isNoneMatchFailed, markdownType, wantsMarkdown, weakTagOf } from './negotiation.ts';

type WriteResponse = (result: JsonResponse | Response, request: Request, requestId: string) => Response;

export function createResponseWriter(endpoint: Endpoint): WriteResponse {
  const write = isTagged(endpoint) ? writeTagged : writePrivate;
  const markdown = markdownOf(endpoint);
  const cacheControl: CacheControl = isTagged(endpoint) ? 'no-cache' : 'no-store';
  return (result, request, requestId) => {
    const isHead = request.method === 'HEAD';
    if (result instanceof Response) {
      const response = addCommonHeaders(result, requestId, cacheControl);
      return isHead ? withoutBody(response, null) : response;
    }
    const isMarkdown = markdown !== null && result.status === 200 && wantsMarkdown(request);
    const hasBody = result.body !== null && result.body !== undefined;
    const text = isMarkdown ? markdown(result.body) : hasBody ? JSON.stringify(result.body) : null;
    const isPrivate = 'cache-control' in result.headers;
    const response = (isPrivate ? writePrivate : write)(result.status, text, request, requestId);
    if (markdown !== null) response.headers.set('vary', 'Accept');
    if (isMarkdown && response.status === 200) response.headers.set('content-type', markdownType);
    for (const name in result.headers) response.headers.set(name, result.headers[name] ?? '');
    return isHead && text !== null ? withoutBody(response, Buffer.byteLength(text)) : response;
  };
}

function markdownOf({ markdown }: Endpoint): ((body: unknown) => string) | null {
  if (markdown === undefined) return null;
  // The declaration types its argument: a body of the endpoint.
  const render = markdown as (body: unknown) => string;
  return (body) => visibleText(render(body));
}

/** Whether the endpoint's responses are the same for (nearly) everybody, so that conditional reads make sense. */
export function isTagged({ auth, method }: Endpoint): boolean {
  return (auth === 'none' || auth === 'optional') && method === 'GET';
}

function writePrivate(status: number, text: string | null, _request: Request, requestId: string): Response {
  return text === null
    ? emptyResponse(status, requestId, 'no-store')
    : jsonResponse(status, text, requestId, 'no-store');
}

function writeTagged(status: number, text: string | null, request: Request, requestId: string): Response {
  if (text === null || status !== 200) return writePrivate(status, text, request, requestId);
  const tag = weakTagOf(text);
  const response = isNoneMatchFailed(request.headers.get('if-none-match'), tag)
    ? emptyResponse(304, requestId, 'no-cache')
    : jsonResponse(200, text, requestId, 'no-cache');
  response.headers.set('etag', tag);
  return response;
}

/** Cancels a stream that nobody will read, and sets the length of the body if it is known. */
function withoutBody(response: Response, length: number | null): Response {
  if (response.status === 304) return response;
  if (length !== null) response.headers.set('content-length', String(length));
  else void response.body?.cancel();
  return new Response(null, { status: response.status, headers: response.headers });
}

/** `no-cache` lets clients revalidate with the tag; `no-store` forbids storing the response. */
type CacheControl = 'no-cache' | 'no-store';

/** For errors without a time of their own: a minute for rate limits, a moment for outages. */
const defaultRetryAfterSeconds = { 429: 60, 503: 5 } as const;

/** For pages: they must not be framed, and links must not reveal where the reader came from. */
const pageHeaders = { 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' };

/** `nosniff` keeps browsers from guessing another content type. */
function commonHeaders(cacheControl: CacheControl): Headers {
  return new Headers({ 'x-content-type-options': 'nosniff', 'cache-control': cacheControl });
}

function jsonHeaders(cacheControl: CacheControl): Headers {
  const headers = commonHeaders(cacheControl);
  headers.set('content-type', 'application/json; charset=utf-8');
  return headers;
}

// Copying prepared headers takes a fifth of the time of building them for each response.
const emptyResponseHeaders = {
  'no-cache': commonHeaders('no-cache'),
  'no-store': commonHeaders('no-store'),
} as const;
const jsonText = { 'no-cache': jsonHeaders('no-cache'), 'no-store': jsonHeaders('no-store') } as const;

function jsonResponse(status: number, text: string, requestId: string, cacheControl: CacheControl): Response {
  const response = new Response(text, { status, headers: jsonText[cacheControl] });
  response.headers.set('x-request-id', requestId);
  return response;
}

export function emptyResponse(status: number, requestId: string, cacheControl: CacheControl): Response {
  const response = new Response(null, { status, headers: emptyResponseHeaders[cacheControl] });
  response.headers.set('x-request-id', requestId);
  return response;
}

/** Adds the common headers to a response made elsewhere. Its own headers take precedence. */
function addCommonHeaders(response: Response, requestId: string, cacheControl: CacheControl): Response {
  for (const [name, value] of [...emptyResponseHeaders[cacheControl], ...Object.entries(pageHeaders)]) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  response.headers.set('x-request-id', requestId);
  return response;
}

export interface ErrorResponseOptions {
  readonly requestId: string;
  /** Adds Basic to the challenge, so that an operator's browser asks for the key. */
  readonly forOperators?: boolean;
  /** Repeats the message as `error_description`, for clients of OAuth. */
  readonly isDescribed?: boolean;
  /** Replaces the challenge of a 401, or adds one to a 403. */
  readonly challenge?: string;
}

/** The only place where an error becomes `{error, message, detail?, hint?, request_id}`. */
export function errorResponse(
  error: DomainError,
  { requestId, forOperators = false, isDescribed = false, challenge }: ErrorResponseOptions,
): Response {
  const { code, extras } = error;
  const status = errorTable[code].status;
  const body = {
    error: publicCode(code),
    message: error.message,
    ...(extras.detail === undefined ? {} : { detail: extras.detail }),
    hint: hintOf(error, nameRoute),
    ...extras.fields,
    ...(isDescribed ? { error_description: describe(error.message) } : {}),
    request_id: requestId,
  };
  const response = jsonResponse(status, JSON.stringify(body), requestId, 'no-store');
  const retryAfter = retryAfterOf(error);
  if (retryAfter !== undefined) response.headers.set('retry-after', String(retryAfter));
  if (error instanceof AbandonedBody) response.headers.set('connection', 'close');
  if (challenge !== undefined) response.headers.set('www-authenticate', challenge);
  else if (status === 401) response.headers.set('www-authenticate', challengeOf(code, forOperators));
  return response;
}

/** What to do next. */
export function hintOf({ code, extras }: DomainError, nameOf: NameOperation): string {
  return nameOperations(extras.hint ?? errorTable[code].advice, nameOf);
}

/** Seconds until a retry may succeed; undefined if the error lasts. */
export function retryAfterOf({ code, extras }: DomainError): number | undefined {
  return code.endsWith('_not_configured') ? undefined : retryAfterSeconds(errorTable[code].status, extras);
}

/** RFC 6749 section 5.2 allows only these characters. */
function describe(message: string): string {
  return message.replaceAll(/[^\x20-\x7e]|["\\]/g, "'");
}

function retryAfterSeconds(status: number, extras: ErrorExtras): number | undefined {
  if (extras.retryAfterSeconds !== undefined) return Math.max(1, Math.ceil(extras.retryAfterSeconds));
  return status === 429 || status === 503 ? defaultRetryAfterSeconds[status] : undefined;
}

/** RFC 6750 section 3.1: the challenge names the error unless the request had no token at all. */
function challengeOf(code: ErrorCode, forOperators: boolean): string {
  const isInvalid = code === 'invalid_token';
  if (forOperators) return operatorChallenge(isInvalid);
  return isInvalid ? 'Bearer error="invalid_token"' : 'Bearer';
}
