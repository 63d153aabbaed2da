/** The endpoints of the API that a caller probably meant, named as `POST /v1/agents/register`. */
import { longerPaths, segmentCount } from './nearest-path.ts';

export interface KnownEndpoint {
  readonly method: string;
  /** With parameters, such as `/v1/agents/:handle`. */
  readonly path: string;
}

const jsonMedia = /\bapplication\/(?:[\w.-]+\+)?json\b/i;

/** Whether a program probably meant the API. It must not be led to the pages for people. */
export function looksLikeApi(request: Request, path: string): boolean {
  if (/^\/(?:api|v\d+)(?:\/|$)/i.test(path)) return true;
  const { headers } = request;
  return jsonMedia.test(headers.get('content-type') ?? '') || jsonMedia.test(headers.get('accept') ?? '');
}

/** The path below `/v1`, without any other prefix. */
export function versioned(path: string): string {
  const bare = path.replaceAll(/\/{2,}/g, '/').replace(/^(?:\/api)?(?:\/v\d+)?(?=\/|$)/i, '');
  return `/v1${bare.replace(/\/$/, '')}`;
}

/**
 * Looks for the path below `/v1`: with the method, then with a segment or two more, then with another method.
 * @returns at most three
 */
export function suggestEndpoints(
  method: string,
  path: string,
  endpoints: readonly KnownEndpoint[],
): readonly string[] {
  const own = versioned(path);
  const served = endpoints.filter((known) => matches(known.path, own));
  if (served.some((known) => known.method === method)) return [`${method} ${own}`];
  const ofMethod = endpoints.filter((known) => known.method === method && isSafeGuess(known));
  const longer = longerPaths(own, [...new Set(ofMethod.map((known) => known.path))]);
  const [nearest] = longer;
  if (nearest !== undefined) {
    return longer
      .filter((each) => segmentCount(each) === segmentCount(nearest))
      .map((each) => `${method} ${each}`);
  }
  return served.slice(0, 1).map((known) => `${known.method} ${own}`);
}

/** A longer path may delete something else, all at once. One that ends with an id still lets the caller choose. */
function isSafeGuess({ method, path }: KnownEndpoint): boolean {
  return method !== 'DELETE' || /\/:[^/]+$/.test(path);
}

function matches(template: string, path: string): boolean {
  const [own, given] = [template.split('/'), path.split('/')];
  return own.length === given.length && own.every((part, at) => part.startsWith(':') || part === given[at]);
}
