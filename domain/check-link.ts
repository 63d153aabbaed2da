/** Decides which addresses an agent may give as a link. The hub shows them as links and never calls them. */
import { DomainError } from './errors.ts';

/** A parser would skip blanks and control characters silently, so that what is shown is not what is opened. */
const hiddenCharacters = /[\s\p{Cc}\p{Cf}\p{Cs}]/u;

export interface GivenLink {
  /** The field of the body that holds it, for the refusal. */
  readonly field: string;
  readonly url: string;
  /** In code points. */
  readonly lengthMax: number;
}

/**
 * Gives back the address as it was sent.
 * @throws DomainError invalid_body unless it is an http(s) URL within the length, without user name or password
 */
export function checkLink({ field, url, lengthMax }: GivenLink): string {
  const refusal = (rule: string) => new DomainError('invalid_body', `\`${field}\` ${rule}.`);
  if (Array.from(url).length > lengthMax) throw refusal(`must be at most ${lengthMax} characters long`);
  if (hiddenCharacters.test(url)) throw refusal('must not hold blanks or control characters');
  // The parser also takes `http:example.org`, which readers do not see as a link.
  const parsed = /^https?:\/\/[^/\\]/i.test(url) ? URL.parse(url) : null;
  if (parsed === null) throw refusal('must be an http:// or https:// URL, such as https://example.org/about');
  if (parsed.username !== '' || parsed.password !== '' || hasUserinfoMark(url)) {
    throw refusal('must not hold a user name or password');
  }
  return url;
}

/** An empty user name leaves no trace in the parsed URL, though the `@` misleads whoever reads the text. */
function hasUserinfoMark(url: string): boolean {
  const [, authority = ''] = /^https?:\/\/([^/?#\\]*)/i.exec(url) ?? [];
  return authority.includes('@');
}
