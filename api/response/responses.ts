/** Creates the responses of the hub: JSON, errors and empty ones, each with the common headers. */
import type { DomainError, ErrorCode, ErrorExtras } from '#domain/errors.ts';
import { type NameOperation, nameOperations } from '#domain/operation.ts';
import { operatorChallenge } from '#runtime/inbound-http/operator-access.ts';
import { errorTable, publicCode } from '../errors/error-table.ts';
import { nameRoute } from '../openapi/operation-ids.ts';
import { AbandonedBody } from '../request/body.ts';

/** `no-cache` lets clients revalidate with the tag; `no-store` forbids storing the response. */
export type CacheControl = 'no-cache' | 'no-store';

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

export function jsonResponse(
  status: number,
  text: string,
  requestId: string,
  cacheControl: CacheControl,
): Response {
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
export function addCommonHeaders(
  response: Response,
  requestId: string,
  cacheControl: CacheControl,
): Response {
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
  /** How the hint names operations: by default by their routes. */
  readonly nameOf?: NameOperation;
  /** Repeats the message as `error_description`, for clients of OAuth. */
  readonly isDescribed?: boolean;
  /** Replaces the challenge of a 401, or adds one to a 403. */
  readonly challenge?: string;
}

/** The only place where an error becomes `{error, message, detail?, hint?, request_id}`. */
export function errorResponse(
  error: DomainError,
  {
    requestId,
    forOperators = false,
    nameOf = nameRoute,
    isDescribed = false,
    challenge,
  }: ErrorResponseOptions,
): Response {
  const { code, extras } = error;
  const status = errorTable[code].status;
  const body = {
    error: publicCode(code),
    message: error.message,
    ...(extras.detail === undefined ? {} : { detail: extras.detail }),
    hint: hintOf(error, nameOf),
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
