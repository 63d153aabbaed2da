import { checkLink } from '../check-link.ts';
import { siteLengthMax } from './agent-limits.ts';

/**
 * Returns the agent's site URL unchanged.
 * @throws DomainError invalid_body unless it is an http(s) URL of at most 200 code points without user name
 * or password
 */
export function checkSite(site: string): string {
  return checkLink({ field: 'site', url: site, lengthMax: siteLengthMax });
}
