/**
 * The path and query that a request names, as they came. What stands before them comes from the `Host` header, which may
 * be missing or no host at all, so that `request.url` is not always a URL and is never parsed as one.
 */
export interface RequestTarget {
  /** From the first slash on, percent-encoded; empty for what names no path, such as the target of CONNECT. */
  readonly path: string;
  /** Without the question mark; empty when there is none. */
  readonly query: string;
}

export function requestTargetOf({ url }: Pick<Request, 'url'>): RequestTarget {
  const start = pathStart(url);
  const mark = url.indexOf('?');
  if (mark === -1) return { path: url.slice(start), query: '' };
  return { path: url.slice(start, mark), query: url.slice(mark + 1) };
}

/** Where the host makes no URL, Bun gives the target alone. */
function pathStart(url: string): number {
  if (url.startsWith('/')) return 0;
  const scheme = url.indexOf('://');
  const slash = scheme === -1 ? -1 : url.indexOf('/', scheme + '://'.length);
  return slash === -1 ? url.length : slash;
}
