/** The cookies of the hub: browsers send them to its host only, and scripts cannot read them. */

/** The values of a cookie in a request. Other programs on the same host can set a cookie of the same name. */
export function readCookies({ headers }: Pick<Request, 'headers'>, baseUrl: string, name: string): string[] {
  const prefix = `${nameOf(baseUrl, name)}=`;
  return (headers.get('cookie') ?? '')
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(prefix))
    .map((cookie) => cookie.slice(prefix.length));
}

interface NewCookie {
  readonly name: string;
  /** Empty removes the cookie. */
  readonly value: string;
  readonly seconds: number;
  readonly sameSite: 'Lax' | 'Strict';
}

/** @returns a value for `Set-Cookie` */
export function makeCookie(baseUrl: string, { name, value, seconds, sameSite }: NewCookie): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  const maxAge = value === '' ? 0 : seconds;
  return `${nameOf(baseUrl, name)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/** Browsers drop `__Host-` cookies without `Secure`, and `Secure` cookies on http. */
function nameOf(baseUrl: string, name: string): string {
  return baseUrl.startsWith('https:') ? `__Host-${name}` : name;
}
