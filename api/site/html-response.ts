/** HTML responses: their security policy, their ETag, and compression. */
import { isNoneMatchFailed, weakTagOf, weightsOf } from '../response/negotiation.ts';
import type { Rendered } from './cached-pages.ts';

/**
 * The policy of a page: everything comes from the hub itself, and nothing is inline except structured data, which is not
 * code.
 * @param others sources that take the place of these, by directive
 */
export function pagePolicy(others: Readonly<Record<string, string>> = {}): string {
  const sources = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self'",
    'connect-src': "'self'",
    'form-action': "'self'",
    'base-uri': "'none'",
    'frame-ancestors': "'none'",
    ...others,
  };
  return Object.entries(sources)
    .map(([directive, allowed]) => `${directive} ${allowed}`)
    .join('; ');
}

const contentSecurityPolicy = pagePolicy();

/** Compression does not make shorter documents smaller. */
const compressedFrom = 1_000;

export const pageVary = 'Cookie, Accept, Accept-Encoding';

interface HtmlOptions {
  readonly status: number;
  /** Whether only the signed-in visitor may see it. */
  readonly isPrivate: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export function htmlResponse(request: Request, html: Rendered, options: HtmlOptions): Response {
  const headers = new Headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy,
    // Forms need it: with `no-referrer`, browsers send `Origin: null`.
    'referrer-policy': 'same-origin',
    'cache-control': options.isPrivate ? 'private, no-store' : 'no-cache',
    vary: pageVary,
    ...options.headers,
  });
  return !options.isPrivate && options.status === 200
    ? tagged(request, html, headers)
    : compressed(request, html, options.status, headers);
}

/** Compresses a text, which has a tag, unless the client has it already. */
export function tagged(request: Request, text: Rendered, headers: Headers): Response {
  headers.set('etag', text.tag());
  return isNoneMatchFailed(request.headers.get('if-none-match'), text.tag())
    ? new Response(null, { status: 304, headers })
    : compressed(request, text, 200, headers);
}

/** Compresses a text if the client accepts it. */
export function compressed(
  request: Request,
  { text, gzipped }: Rendered,
  status: number,
  headers: Headers,
): Response {
  const weights = weightsOf(request.headers.get('accept-encoding') ?? '');
  const isWanted = (weights.get('gzip') ?? 0) > 0;
  const isCompressed = isWanted && text.length >= compressedFrom;
  const content = isCompressed ? gzipped() : text;
  if (isCompressed) headers.set('content-encoding', 'gzip');
  // HEAD returns it too.
  headers.set('content-length', String(Buffer.byteLength(content)));
  return new Response(content, { status, headers });
}

export function rendered(text: string): Rendered {
  let tag: string | null = null;
  let gzipped: Uint8Array<ArrayBuffer> | null = null;
  return {
    text,
    tag: () => (tag ??= weakTagOf(text)),
    gzipped: () => (gzipped ??= Bun.gzipSync(text, { level: 5 })),
  };
}
