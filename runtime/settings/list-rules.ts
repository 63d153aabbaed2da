/** Rules for settings that are comma-separated lists, and for mail addresses. */
import { isIP } from 'node:net';
import { createAddressPolicy } from '../guarded-http/address-policy.ts';
import type { SettingRule } from './settings-reader.ts';

const maxListLength = 1000;
const maxAddressLength = 320;

/** Parses a comma-separated list. Every entry must be valid. An empty entry (a stray comma) is skipped. */
function listOf(
  rule: string,
  parseEntry: (entry: string) => string | undefined,
): SettingRule<readonly string[]> {
  return {
    rule,
    parse: (text) => {
      const entries = text
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== '');
      const parsed = entries.map(parseEntry);
      const valid = parsed.filter((entry) => entry !== undefined);
      return valid.length === parsed.length && valid.length <= maxListLength
        ? Object.freeze(valid)
        : undefined;
    },
  };
}

/**
 * The `did:key` of an Ed25519 key always has this form: base58btc of two multicodec bytes and 32 key bytes.
 */
export const didList = listOf('be a comma-separated list of did:key:z6Mk… identities', (entry) =>
  isDid(entry) ? entry : undefined,
);

export function isDid(text: string): boolean {
  return /^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/.test(text);
}

export const cidrList = listOf(
  'be a comma-separated list of CIDRs such as 10.0.0.0/8 or fd00::/8',
  parseCidr,
);

/** `none` is the empty list. It denies loopback even on a hub that listens there. */
export const targetList: SettingRule<readonly string[]> = {
  rule: 'be a comma-separated list of CIDRs such as 10.0.0.0/8 (no bits after the prefix, IPv4 not written as IPv6), or loopback, or none',
  parse: (text) => (text === 'none' ? Object.freeze([]) : allowedTargets.parse(text)),
};

const allowedTargets = listOf('', (entry) => {
  const block = entry === 'loopback' ? entry : parseCidr(entry);
  return block !== undefined && isAllowable(block) ? block : undefined;
});

function isAllowable(block: string): boolean {
  try {
    createAddressPolicy([block]);
    return true;
  } catch {
    return false;
  }
}

function parseCidr(entry: string): string | undefined {
  const [address = '', prefix, ...rest] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || rest.length > 0) return undefined;
  const longest = version === 4 ? 32 : 128;
  if (prefix === undefined) return `${address}/${longest}`;
  return /^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= longest ? entry : undefined;
}

export const originList = listOf(
  'be a comma-separated list of origins such as https://example.org, or *',
  (entry) => {
    if (entry === '*') return entry;
    const url = URL.parse(entry);
    if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
    return url.href === `${url.origin}/` && !/[?#]/.test(entry) ? url.origin : undefined;
  },
);

/** In the form in which URLs have them: lower case, IPv6 without brackets, other alphabets in Punycode. */
export const hostList = listOf('be a comma-separated list of host names such as api.example.org', (entry) => {
  const url = URL.parse(`http://${isIP(entry) === 6 ? `[${entry}]` : entry}/`);
  if (url === null || /[/?#@\s]/.test(entry) || url.port !== '' || url.hostname === '') return undefined;
  return /:\d*$/.test(entry) && isIP(entry) === 0
    ? undefined
    : url.hostname.replaceAll(/[[\]]/g, '').replace(/\.$/, '');
});

export const variableNames = listOf(
  'be a comma-separated list of names of variables such as UPLOAD_URL, or RESTIC_* for all that begin so',
  (entry) => (/^[A-Za-z_][A-Za-z0-9_]{0,99}\*?$/.test(entry) ? entry : undefined),
);

/** Rejects only what could inject a header or a second recipient. The mail library parses the rest. */
export const mailAddress: SettingRule<string> = {
  rule: 'be one email address, user@example.org or Name <user@example.org>',
  parse: (text) => {
    const address = /^[^<>,;:\p{Cc}]*<([^<>]+)>$/u.exec(text)?.[1] ?? text;
    const valid = /^[^\s@<>,;:"\p{Cc}]+@[^\s@<>,;:"\p{Cc}]+$/u.test(address);
    return valid && text.length <= maxAddressLength ? text : undefined;
  },
};
