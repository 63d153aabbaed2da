/**
 * Lets pages of the origins in CORS_ORIGINS call the hub from a browser. The hub uses no cookies, so
 * credentials are not allowed.
 */

const exposed =
  'ETag, Idempotent-Replayed, Link, Location, MCP-Protocol-Version, Retry-After, WWW-Authenticate, X-Request-Id';
const allowedHeaders =
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, X-Request-Id';
const preflightMaxAgeSeconds = 600;

export interface Cors {
  /** Makes a response readable for the requesting page if its origin is listed. */
  allow(request: Request, response: Response): void;
  /** The same for the response to a preflight request. */
  allowPreflight(request: Request, response: Response, methods: string): void;
}

/** @param origins the value of CORS_ORIGINS; an empty list returns null */
export function createCors(origins: readonly string[]): Cors | null {
  if (origins.length === 0) return null;
  const all = origins.includes('*');
  const listed = new Set(origins);

  const allow = (request: Request, response: Response): boolean => {
    if (!all) response.headers.append('vary', 'Origin');
    const origin = request.headers.get('origin');
    if (origin === null || !(all || listed.has(origin))) return false;
    response.headers.set('access-control-allow-origin', all ? '*' : origin);
    return true;
  };
  return {
    allow: (request, response) => {
      if (allow(request, response)) response.headers.set('access-control-expose-headers', exposed);
    },
    allowPreflight: (request, response, methods) => {
      if (!allow(request, response)) return;
      response.headers.set('access-control-allow-methods', methods);
      response.headers.set('access-control-allow-headers', allowedHeaders);
      response.headers.set('access-control-max-age', String(preflightMaxAgeSeconds));
    },
  };
}
