/**
 * Reads an address that a stranger gave us to call, and says which rule it breaks. It never looks a name up, so it can run
 * while a request is being accepted; `guarded-request.ts` runs it again and then checks what the name resolves to.
 */
import { normalizeAddress, type AddressPolicy } from './address-policy.ts';
import { maxTargetUrlLength } from './limits.ts';

/** A web address in parts that are safe to use: taken from the parsed form, never from the text. */
export interface TargetUrl {
  readonly url: URL;
  readonly secure: boolean;
  /** Lower case, without brackets and without the trailing dot of a fully qualified name. */
  readonly hostname: string;
  readonly port: number;
  /** The address when the host is an IP literal (however it was written), else null. */
  readonly literalAddress: string | null;
}

/** Which rule of `decisions.md` section 5 (`invalid_target_url`) the text broke. */
export type TargetUrlFault = 'malformed' | 'too_long' | 'scheme' | 'userinfo' | 'blocked_address';

export type TargetUrlResult =
  | { readonly ok: true; readonly target: TargetUrl }
  | { readonly ok: false; readonly fault: TargetUrlFault; readonly message: string };

const messages: Record<TargetUrlFault, string> = {
  malformed: 'The URL is not a valid absolute URL.',
  too_long: `The URL is longer than ${maxTargetUrlLength} characters.`,
  scheme: 'The URL must start with http:// or https://.',
  userinfo: 'The URL must not hold a user name or password.',
  blocked_address: 'The URL points to an address that this hub does not call.',
};

/** Browsers drop tabs and line ends inside a URL without a word; here they are a fault. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * Parses `text` and checks everything that can be told without DNS. The message of a refusal is a whole sentence for the
 * caller and repeats nothing of the text.
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
  // Brackets stand around IPv6 addresses and nowhere else.
  const hostname = url.hostname.replaceAll(/[[\]]/g, '').replace(/\.$/, '');
  if (hostname === '') return refuse('malformed');
  const literalAddress = normalizeAddress(hostname);
  if (literalAddress === null ? isDeniedLocalName(hostname, policy) : !policy.permits(literalAddress)) {
    return refuse('blocked_address');
  }
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  return { ok: true, target: { url, secure, hostname, port, literalAddress } };
}

/**
 * What stands between `//` and the path, as it was written: parsing drops an empty user name without a trace, and adds
 * slashes that are not there. Null when there is not exactly one `//`, or nothing behind it.
 */
function authorityOf(text: string): string | null {
  return /^ *https?:\/\/([^/\\?#]+)/i.exec(text)?.[1] ?? null;
}

/** RFC 6761 reserves these names for loopback, so there is no need to wait for the look-up to refuse them. */
function isDeniedLocalName(hostname: string, policy: AddressPolicy): boolean {
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  return isLocal && !policy.permits('127.0.0.1') && !policy.permits('::1');
}

function refuse(fault: TargetUrlFault): TargetUrlResult {
  return { ok: false, fault, message: messages[fault] };
}
