/** Conditional reads of public responses (RFC 9110 section 13): unchanged content is not sent again. */

/** A weak tag, because a proxy may compress the bytes without changing the content. */
export function weakTagOf(text: string | Uint8Array): string {
  return `W/"${Bun.SHA256.hash(text, 'hex').slice(0, 32)}"`;
}

/** Whether `If-None-Match` lists the tag. The comparison is weak, as RFC 9110 requires for reads. */
export function isNoneMatchFailed(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const opaque = tag.slice('W/'.length);
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([given]) => given === opaque);
}

/** A document that is the same for everybody, with the length that HEAD returns; 304 if the client has it. */
export function taggedDocument(
  request: Request,
  content: string | Uint8Array<ArrayBuffer>,
  given: Readonly<Record<string, string>>,
): Response {
  const etag = weakTagOf(content);
  const headers = { 'cache-control': 'no-cache', etag, ...given };
  if (isNoneMatchFailed(request.headers.get('if-none-match'), etag))
    return new Response(null, { status: 304, headers });
  return new Response(content, {
    headers: { ...headers, 'content-length': String(Buffer.byteLength(content)) },
  });
}

const headers = { ETag: 'For `If-None-Match`.' };

/** What an endpoint that returns one declares. */
export const documentResponses = (description: string, contentType: string) =>
  ({
    200: { description, contentType, headers },
    304: { description: 'Not modified.', headers },
  }) as const;
