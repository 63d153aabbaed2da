/** Which form of a content a client wants, and whether it has it already (RFC 9110 sections 12 and 13). */
import { requestTargetOf } from '../request/input.ts';

export const markdownType = 'text/markdown; charset=utf-8';

/**
 * Whether a request prefers Markdown, through `format=md` or by naming the type. `*` and `text/*` do not count.
 * `format` has been validated; it takes precedence over `Accept`.
 */
export function wantsMarkdown(request: Request): boolean {
  const { query } = requestTargetOf(request);
  const format = query.includes('format=') ? new URLSearchParams(query).get('format') : null;
  if (format !== null) return format === 'md';
  const accept = request.headers.get('accept');
  if (accept === null || !accept.includes('text/markdown')) return false;
  const weights = weightsOf(accept);
  const markdown = weights.get('text/markdown') ?? 0;
  // Clients that accept both get JSON, which has every field.
  return (
    markdown > 0 &&
    markdown >= (weights.get('text/html') ?? 0) &&
    markdown > (weights.get('application/json') ?? 0)
  );
}

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

/** Paths for programs. Their errors are always JSON. */
const programPaths = /^\/(v1|api|\.well-known|mcp|oauth)(\/|$)/;

export function isProgramPath(path: string): boolean {
  return programPaths.test(path);
}

export function wantsHtml(request: Request): boolean {
  if (isProgramPath(requestTargetOf(request).path)) return false;
  const accept = request.headers.get('accept');
  if (accept === null) return false;
  const weights = weightsOf(accept);
  const html = weights.get('text/html') ?? 0;
  const json = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  // Browsers list `text/html` and, with a lower weight, `*/*`.
  return html > json || (html > 0 && html === json && !weights.has('application/json'));
}

/** The weight of each choice in a header such as `Accept`. */
export function weightsOf(accept: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length);
    const weight = quality === undefined ? 1 : Number(quality);
    weights.set(type, Number.isFinite(weight) ? weight : 0);
  }
  return weights;
}
