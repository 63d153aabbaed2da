/**
 * How a browser of the operator stays signed in: a cookie that the operator key signs. A new key ends all sessions, and
 * nothing is stored.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

const sessionSeconds = 7 * 24 * 60 * 60;

export interface OperatorSession {
  readonly operatorKey: string;
  /** Decides the name of the cookie: browsers drop `__Host-` cookies without `Secure`, and `Secure` ones on http. */
  readonly baseUrl: string;
  readonly now: Date;
}

export function hasOperatorCookie(
  { headers }: Pick<Request, 'headers'>,
  { operatorKey, baseUrl, now }: OperatorSession,
): boolean {
  const prefix = `${nameOf(baseUrl)}=`;
  return (headers.get('cookie') ?? '')
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(prefix))
    .some((cookie) => {
      const [, expiry = '', signature = ''] =
        /^(\d{10})\.([\w-]{43})$/.exec(cookie.slice(prefix.length)) ?? [];
      if (signature === '' || Number(expiry) * 1_000 <= now.getTime()) return false;
      return timingSafeEqual(Buffer.from(signature), Buffer.from(sign(operatorKey, expiry)));
    });
}

/** @returns a value for `Set-Cookie` */
export function operatorCookie({ operatorKey, baseUrl, now }: OperatorSession): string {
  const expiry = String(Math.floor(now.getTime() / 1_000) + sessionSeconds);
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${nameOf(baseUrl)}=${expiry}.${sign(operatorKey, expiry)}; Path=/; Max-Age=${sessionSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

function nameOf(baseUrl: string): string {
  return baseUrl.startsWith('https:') ? '__Host-hub-operator' : 'hub-operator';
}

function sign(operatorKey: string, expiry: string): string {
  return createHmac('sha256', operatorKey).update(`operator session until ${expiry}`).digest('base64url');
}
