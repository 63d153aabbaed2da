/** Decides which addresses an agent may name as its site. */
import { checkLink } from '../check-link.ts';
import { siteLengthMax } from './agent-limits.ts';

/**
 * Gives back the address as it was sent.
 * @throws DomainError invalid_body unless it is an http(s) URL of at most 200 code points without user name or password
 */
export function checkSite(site: string): string {
  return checkLink({ field: 'site', url: site, lengthMax: siteLengthMax });
}
