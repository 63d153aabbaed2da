/** What a caller probably meant by a path or a method that the hub does not serve, such as `POST /v1/agents/register`. */

export interface Known {
  /** Null for a page for people, which has only a path. */
  readonly method: string | null;
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

const pathMax = 200;
const missingMax = 2;
const suggestionsMax = 3;

/**
 * Corrects the usual mistakes in a path: another prefix, a trailing slash, capitals, the singular for the plural, then a
 * missing segment or two, then another method.
 * @returns at most three
 */
export function suggestEndpoints(method: string, path: string, known: readonly Known[]): readonly string[] {
  const [given, prefix] = [bareSegments(path), prefixOf(path)];
  if (path.length > pathMax || given.length === 0) return [];
  const fits = known
    .flatMap((one) => fitOf(one, given) ?? [])
    .toSorted(
      (a, b) =>
        a.missing - b.missing ||
        rankOf(a.path, prefix) - rankOf(b.path, prefix) ||
        a.parameters - b.parameters ||
        a.path.length - b.path.length ||
        (a.path < b.path ? -1 : 1),
    );
  const near = fits.filter(({ missing }) => missing === 0);
  const exact = near.find((one) => one.method === null || one.method === method);
  if (exact !== undefined) return [nameOf(exact)];
  const longer = fits.filter((one) => one.missing > 0 && one.method === method && isSafeGuess(one));
  const best = longer.filter(({ missing }) => missing === longer[0]?.missing);
  return (best.length === 0 ? near.slice(0, 1) : best.slice(0, suggestionsMax)).map(nameOf);
}

interface Fit extends Known {
  /** With the given segments for parameters; those without a value are shown as `{name}`. */
  readonly path: string;
  /** How many segments of the endpoint were not given. */
  readonly missing: number;
  readonly parameters: number;
}

/**
 * Null unless the endpoint has all given segments, in order. If some are missing, the last given one must be a literal,
 * because any word fits a parameter.
 */
function fitOf({ method, path }: Known, given: readonly string[]): Fit | null {
  const own = bareSegments(path);
  const missing = own.length - given.length;
  if (missing < 0 || missing > missingMax) return null;
  let next = 0;
  let endsWithLiteral = false;
  let parameters = 0;
  const filled = own.map((segment, index) => {
    const value = given[next];
    const isParameter = segment.startsWith(':');
    const isLater = own.slice(index).some((later) => isSame(later, value));
    if (value === undefined || (isParameter ? isLater && missing > 0 : !isSame(segment, value)))
      return isParameter ? `{${segment.slice(1)}}` : segment;
    next += 1;
    endsWithLiteral = !isParameter;
    parameters += isParameter ? 1 : 0;
    return isParameter ? value : segment;
  });
  if (next < given.length || (missing > 0 && !endsWithLiteral)) return null;
  return { method, path: `${prefixOf(path)}/${filled.join('/')}`, missing, parameters };
}

function nameOf({ method, path }: Fit): string {
  return method === null ? path : `${method} ${path}`;
}

/** A longer path may delete something else in one call. One that ends with an id still lets the caller choose. */
function isSafeGuess({ method, path }: Fit): boolean {
  return method !== 'DELETE' || path.endsWith('}');
}

const prefixes = /^(?:\/api)?(?:\/v\d+)?(?=\/|$)/i;

function prefixOf(path: string): string {
  return prefixes.exec(path)?.[0] ?? '';
}

function bareSegments(path: string): readonly string[] {
  return path
    .replaceAll(/\/{2,}/g, '/')
    .replace(prefixes, '')
    .split('/')
    .filter((segment) => segment !== '');
}

const isSame = (one: string, other: string | undefined): boolean =>
  other !== undefined && plainForm(one) === plainForm(other);

function plainForm(segment: string): string {
  return segment.toLowerCase().replace(/s$/, '');
}

/** Paths with the prefix that was given come first, then those without one. */
function rankOf(path: string, prefix: string): number {
  return prefixOf(path) === prefix ? 0 : prefixOf(path) === '' ? 1 : 2;
}
