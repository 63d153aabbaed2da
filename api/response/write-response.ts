/**
 * Turns the result of a handler into the response: JSON with its headers, tags on public reads, no body for
 * HEAD.
 */
import { visibleText } from '#site/visible-text.ts';
import type { JsonResponse, Endpoint } from '../endpoint.ts';
import { isNoneMatchFailed, weakTagOf } from './etag.ts';
import { type CacheControl, addCommonHeaders, emptyResponse, jsonResponse } from './responses.ts';
import { markdownType, wantsMarkdown } from './wants-markdown.ts';

export type WriteResponse = (
  result: JsonResponse | Response,
  request: Request,
  requestId: string,
) => Response;

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
