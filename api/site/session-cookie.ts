/** The cookie of a session. Browsers send it to this host only, and scripts cannot read it. */
import { secretForm, sessionLifetimeMs } from '#domain/sessions/sessions.ts';

/** Browsers drop `__Host-` cookies without `Secure`, and `Secure` cookies on http. */
function nameOf(baseUrl: string): string {
  return baseUrl.startsWith('https:') ? '__Host-hub' : 'hub';
}

/** The secret of the session; null without a well-formed cookie. */
export function readSessionCookie({ headers }: Request, baseUrl: string): string | null {
  const prefix = `${nameOf(baseUrl)}=`;
  for (const cookie of (headers.get('cookie') ?? '').split(';')) {
    const text = cookie.trim();
    if (!text.startsWith(prefix)) continue;
    const secret = text.slice(prefix.length);
    if (secretForm.test(secret)) return secret;
  }
  return null;
}

/** @param secret null removes the cookie */
export function sessionCookie(baseUrl: string, secret: string | null): string {
  const seconds = secret === null ? 0 : sessionLifetimeMs / 1_000;
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${nameOf(baseUrl)}=${secret ?? ''}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}
