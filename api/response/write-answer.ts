/** Turns what a handler gave into the response: JSON with its headers, tags on public reads, no body for HEAD. */
import type { Answer, Endpoint } from '../endpoint.ts';
import { isNoneMatchFailed, weakTagOf } from './etag.ts';
import { type CacheControl, dressResponse, emptyResponse, jsonResponse } from './responses.ts';

export type WriteAnswer = (answer: Answer | Response, request: Request, requestId: string) => Response;

export function createWriteAnswer(endpoint: Endpoint): WriteAnswer {
  const write = isTagged(endpoint) ? writeTagged : writePrivate;
  const cacheControl: CacheControl = isTagged(endpoint) ? 'no-cache' : 'no-store';
  return (answer, request, requestId) => {
    const isHead = request.method === 'HEAD';
    if (answer instanceof Response) {
      const response = dressResponse(answer, requestId, cacheControl);
      return isHead ? withoutBody(response, null) : response;
    }
    const hasBody = answer.body !== null && answer.body !== undefined;
    const text = hasBody ? JSON.stringify(answer.body) : null;
    const response = write(answer.status, text, request, requestId);
    for (const name in answer.headers) response.headers.set(name, answer.headers[name] ?? '');
    return isHead && text !== null ? withoutBody(response, Buffer.byteLength(text)) : response;
  };
}

/** Whether an endpoint's answers are the same for everybody, and can be asked for conditionally. */
export function isTagged({ auth, method }: Endpoint): boolean {
  return auth === 'none' && method === 'GET';
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

/** Ends a stream that nobody will read, and tells how long the body would have been where that is known. */
function withoutBody(response: Response, length: number | null): Response {
  if (response.status === 304) return response;
  if (length !== null) response.headers.set('content-length', String(length));
  else void response.body?.cancel();
  return new Response(null, { status: response.status, headers: response.headers });
}
