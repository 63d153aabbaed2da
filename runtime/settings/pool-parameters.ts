/** The hub's own parameters in the query of a Postgres URL. */

export const defaultPoolSize = 10;
/** A process may need a second connection while a transaction holds the first. */
const poolSizeMin = 2;
const poolSizeMax = 100;

export interface PoolParameters {
  /** The URL without these parameters, because servers reject them. */
  readonly url: string;
  readonly isPooled: boolean;
  /** Connections per process. */
  readonly poolSize: number;
}

/** @returns null if one of them has an invalid value */
export function readPoolParameters(given: URL): PoolParameters | null {
  const mode = given.searchParams.get('pool_mode');
  const size = given.searchParams.get('pool_size');
  if (mode !== null && mode !== 'transaction') return null;
  const poolSize = size === null ? defaultPoolSize : /^\d{1,3}$/.test(size) ? Number(size) : 0;
  if (poolSize < poolSizeMin || poolSize > poolSizeMax) return null;
  const url = new URL(given);
  // `searchParams` would encode a space in another parameter as `+`, which the tools of Postgres do not decode.
  url.search = url.search.slice(1).split('&').filter(isOfServer).join('&');
  return { url: url.href, isPooled: mode !== null, poolSize };
}

function isOfServer(parameter: string): boolean {
  const [[name] = []] = new URLSearchParams(parameter);
  return name !== 'pool_mode' && name !== 'pool_size';
}
