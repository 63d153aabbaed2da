/** Validates URLs that agents publish as links. The hub displays them and never calls them. */
import { DomainError } from './errors.ts';

/**
 * URL parsers skip blanks and control characters silently, so the displayed URL would differ from the one
 * opened.
 */
const hiddenCharacters = /[\s\p{Cc}\p{Cf}\p{Cs}]/u;

export interface GivenLink {
  /** The body field it came from, for the error message. */
  readonly field: string;
  readonly url: string;
  /** In code points. */
  readonly lengthMax: number;
}

/**
 * Returns the URL unchanged.
 * @throws DomainError invalid_body unless it is an http(s) URL within the length, without user name or
 * password
 */
export function checkLink({ field, url, lengthMax }: GivenLink): string {
  const refusal = (rule: string) => new DomainError('invalid_body', `\`${field}\` ${rule}.`);
  if (Array.from(url).length > lengthMax) throw refusal(`must be at most ${lengthMax} characters long`);
  if (hiddenCharacters.test(url)) throw refusal('must not contain blanks or control characters');
  // The parser also accepts `http:example.org`, which readers do not recognise as a link.
  const parsed = /^https?:\/\/[^/\\]/i.test(url) ? URL.parse(url) : null;
  if (parsed === null) throw refusal('must be an http:// or https:// URL, such as https://example.org/about');
  if (parsed.username !== '' || parsed.password !== '' || hasUserinfoMark(url)) {
    throw refusal('must not contain a user name or password');
  }
  return url;
}

/** The parsed URL does not show an empty user name, but the `@` in the text can mislead readers. */
function hasUserinfoMark(url: string): boolean {
  const [, authority = ''] = /^https?:\/\/([^/?#\\]*)/i.exec(url) ?? [];
  return authority.includes('@');
}
