/** Makes the responses that leave the hub: JSON, errors and empty ones, each with the headers that all answers have. */
import type { DomainError, ErrorCode, ErrorExtras } from '#domain/errors.ts';
import { operatorChallenge } from '#runtime/inbound-http/operator-access.ts';
import { errorTable, publicCode } from '../errors/error-table.ts';

/** Whether an answer may be kept for asking again with its tag, or belongs to one reader at one time. */
export type CacheControl = 'no-cache' | 'no-store';

/** For refusals that know no better: a minute until a limit is fresh again, a moment until a service is back. */
const defaultRetryAfterSeconds = { 429: 60, 503: 5 } as const;

/** For pages: no other page may show them, and none that they link to learns where its reader came from. */
const pageHeaders = { 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' };

/** So that a browser takes an answer for nothing but what it says it is. */
function commonHeaders(cacheControl: CacheControl): Headers {
  return new Headers({ 'x-content-type-options': 'nosniff', 'cache-control': cacheControl });
}

function jsonHeaders(cacheControl: CacheControl): Headers {
  const headers = commonHeaders(cacheControl);
  headers.set('content-type', 'application/json; charset=utf-8');
  return headers;
}

// Copying headers that are made already costs a fifth of making them for each response.
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

/** Gives a response that was made elsewhere the headers of all others; what it has already has the last word. */
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
  /** Operators may also come with a browser, which asks for name and password when told of Basic. */
  readonly forOperators?: boolean;
}

/** The one place where a refusal becomes `{error, message, detail?, hint?, request_id}` (decisions.md section 1). */
export function errorResponse(
  error: DomainError,
  { requestId, forOperators = false }: ErrorResponseOptions,
): Response {
  const { code, extras } = error;
  const status = errorTable[code].status;
  const body = {
    error: publicCode(code),
    message: error.message,
    ...(extras.detail === undefined ? {} : { detail: extras.detail }),
    ...(extras.hint === undefined ? {} : { hint: extras.hint }),
    ...extras.fields,
    request_id: requestId,
  };
  const response = jsonResponse(status, JSON.stringify(body), requestId, 'no-store');
  const retryAfter = retryAfterSeconds(status, extras);
  if (retryAfter !== undefined) response.headers.set('retry-after', String(retryAfter));
  if (status === 401) response.headers.set('www-authenticate', challenge(code, forOperators));
  return response;
}

function retryAfterSeconds(status: number, extras: ErrorExtras): number | undefined {
  if (extras.retryAfterSeconds !== undefined) return Math.max(1, Math.ceil(extras.retryAfterSeconds));
  return status === 429 || status === 503 ? defaultRetryAfterSeconds[status] : undefined;
}

/** RFC 6750 section 3.1: the error is named unless the request carried no token at all. */
function challenge(code: ErrorCode, forOperators: boolean): string {
  const isInvalid = code === 'invalid_token';
  if (forOperators) return operatorChallenge(isInvalid);
  return isInvalid ? 'Bearer error="invalid_token"' : 'Bearer';
}
