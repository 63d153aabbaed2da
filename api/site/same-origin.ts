/** Accepts forms only from pages of this hub. */
import { DomainError } from '#domain/errors.ts';

/**
 * Browsers say where a request comes from. Another port of the same host is `same-site` and gets the cookie, so
 * only `same-origin` counts.
 * @throws DomainError cross_site_request
 */
export function requireSameOrigin({ headers }: Request, baseUrl: string): void {
  const origin = headers.get('origin');
  const isOurs = origin === null || origin === new URL(baseUrl).origin;
  if (headers.get('sec-fetch-site') === 'same-origin' && isOurs) return;
  throw new DomainError('cross_site_request', 'This form was not sent from a page of this hub.', {
    hint: `Open ${baseUrl} in a current browser and send the form from there.`,
  });
}
