/**
 * Parses a target URL from a stranger and reports which rule it breaks. It makes no lookup, so it can run
 * while a request is being accepted. `guarded-request.ts` runs it again and then checks the resolved
 * addresses.
 */
import { normalizeAddress, type AddressPolicy } from './address-policy.ts';
import { maxTargetUrlLength } from './limits.ts';

/** The parts of a URL that are safe to use: taken from the parsed form, never from the text. */
export interface TargetUrl {
  readonly url: URL;
  readonly secure: boolean;
  /** Lower case, without brackets and without the trailing dot of a fully qualified name. */
  readonly hostname: string;
  readonly port: number;
  /** The address if the host is an IP literal in any notation, else null. */
  readonly literalAddress: string | null;
}

/** The rule that the text breaks. */
export type TargetUrlFault = 'malformed' | 'too_long' | 'scheme' | 'userinfo' | 'blocked_address';

export type TargetUrlResult =
  | { readonly ok: true; readonly target: TargetUrl }
  | { readonly ok: false; readonly fault: TargetUrlFault; readonly message: string };

const messages: Record<TargetUrlFault, string> = {
  malformed: 'The URL is not a valid absolute URL.',
  too_long: `The URL is longer than ${maxTargetUrlLength} characters.`,
  scheme: 'The URL must start with http:// or https://.',
  userinfo: 'The URL must not contain a user name or password.',
  blocked_address: 'The URL points to an address that this hub does not call.',
};

/** Browsers silently drop tabs and line ends in a URL. Here they are an error. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * Parses `text` and checks everything that needs no DNS. The message of an error is a complete sentence for
 * the caller and repeats no part of the text.
 */
export function parseTargetUrl(text: string, policy: AddressPolicy): TargetUrlResult {
  if (Array.from(text).length > maxTargetUrlLength) return refuse('too_long');
  if (controlCharacter.test(text)) return refuse('malformed');
  const url = URL.parse(text);
  if (url === null) return refuse('malformed');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refuse('scheme');
  const authority = authorityOf(text);
  if (authority === null) return refuse('malformed');
  if (authority.includes('@')) return refuse('userinfo');

  const secure = url.protocol === 'https:';
  // Brackets only occur around IPv6 addresses.
  const hostname = url.hostname.replaceAll(/[[\]]/g, '').replace(/\.$/, '');
  if (hostname === '') return refuse('malformed');
  const literalAddress = normalizeAddress(hostname);
  if (!(literalAddress === null ? policy.permitsName(hostname) : policy.permits(literalAddress))) {
    return refuse('blocked_address');
  }
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  return { ok: true, target: { url, secure, hostname, port, literalAddress } };
}

/**
 * The raw text between `//` and the path. Parsing silently drops an empty user name and adds missing slashes.
 * Null unless there is exactly one `//` with text after it.
 */
function authorityOf(text: string): string | null {
  return /^ *https?:\/\/([^/\\?#]+)/i.exec(text)?.[1] ?? null;
}

function refuse(fault: TargetUrlFault): TargetUrlResult {
  return { ok: false, fault, message: messages[fault] };
}
