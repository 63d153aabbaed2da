/** The endpoints of the API that a caller probably meant, named as `POST /v1/agents/register`. */

interface KnownEndpoint {
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

/** A longer path may delete something else in one call. One that ends with an id still lets the caller choose. */
function isSafeGuess({ method, path }: KnownEndpoint): boolean {
  return method !== 'DELETE' || /\/:[^/]+$/.test(path);
}

function matches(template: string, path: string): boolean {
  const [own, given] = [template.split('/'), path.split('/')];
  return own.length === given.length && own.every((part, at) => part.startsWith(':') || part === given[at]);
}

/**
 * Corrects the usual mistakes in a path: another prefix, a trailing slash, capitals, the singular for the plural, a missing
 * segment.
 */

const pathMax = 200;
const changesMax = 4;

/**
 * @param exists whether the hub serves a path
 * @returns null if no correction leads to a path that exists
 */
export function nearestPath(path: string, exists: (path: string) => boolean): string | null {
  if (path.length > pathMax) return null;
  const trimmed = path.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  const bare = trimmed.replace(/^(?:\/api)?(?:\/v\d+)?(?=\/|$)/, '');
  const prefixed = [trimmed, bare, `/v1${bare}`, `/api${bare}`];
  const candidates = [...prefixed, ...prefixed.map((each) => each.toLowerCase())].filter(
    (each) => each.startsWith('/') && each !== path,
  );
  // A singular or plural may match a parameter, so paths without such a change come first.
  return (
    [...candidates, ...[path, ...candidates].flatMap(withOtherNumbers)].find(
      (each) => each !== path && exists(each),
    ) ?? null
  );
}

/** Variants of the path, each with one segment switched between singular and plural. */
function withOtherNumbers(path: string): string[] {
  const segments = path.split('/');
  return segments.slice(1, 1 + changesMax).flatMap((segment, index) => {
    if (segment === '') return [];
    const other = segment.endsWith('s') ? segment.slice(0, -1) : `${segment}s`;
    return [segments.with(index + 1, other).join('/')];
  });
}

const missingMax = 2;
const suggestionsMax = 3;

/**
 * Paths of the API that have all segments of the given one and a few more. `/v1/register` lacks a segment of
 * `/v1/agents/register`.
 * @param templates with parameters, such as `/v1/agents/:handle`
 * @returns those with the fewest segments; parameters without a value are shown as `{name}`
 */
export function longerPaths(path: string, templates: readonly string[]): readonly string[] {
  const given = path.split('/').filter((segment) => segment !== '');
  if (path.length > pathMax || given.length < 2 || given[0] !== 'v1') return [];
  return templates
    .flatMap((template) => withSegments(given, template.split('/').slice(1)) ?? [])
    .toSorted(
      (one, other) =>
        segmentCount(one) - segmentCount(other) || one.length - other.length || (one < other ? -1 : 1),
    )
    .slice(0, suggestionsMax);
}

function segmentCount(path: string): number {
  return path.split('/').length;
}

/**
 * Fills the parameters of a template with the given segments. @returns null if it does not have all of them, in order
 */
function withSegments(given: readonly string[], template: readonly string[]): string | null {
  const missing = template.length - given.length;
  if (missing < 1 || missing > missingMax) return null;
  let next = 0;
  let wasLiteral = true;
  const filled = template.map((segment, index) => {
    const value = given[next];
    const isParameter = segment.startsWith(':');
    const fits = isParameter ? !template.includes(value ?? '', index) : segment === value;
    if (value === undefined || !fits) return isParameter ? `{${segment.slice(1)}}` : segment;
    next += 1;
    wasLiteral = !isParameter;
    return value;
  });
  // The name of an endpoint is a literal, and any last word would fit a parameter.
  return next === given.length && wasLiteral ? `/${filled.join('/')}` : null;
}
