/** The forms of settings that are comma lists, and of the mail addresses. */
import { isIP } from 'node:net';
import type { SettingRule } from './settings-reader.ts';

const maxListLength = 1000;
const maxAddressLength = 320;

/** Parses a comma list whose every entry must hold; an empty entry (a stray comma) is skipped. */
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

/** `did:key` of an Ed25519 key: base58btc of the two multicodec bytes and 32 key bytes always has this form. */
export const didList = listOf('be a comma list of did:key:z6Mk… identities', (entry) =>
  /^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/.test(entry) ? entry : undefined,
);

export const cidrList = listOf('be a comma list of CIDRs such as 10.0.0.0/8 or fd00::/8', parseCidr);

/** `none` is the empty list, to refuse even loopback on a hub that listens there. */
export const targetList: SettingRule<readonly string[]> = {
  rule: 'be a comma list of CIDRs such as 10.0.0.0/8, or loopback, or none',
  parse: (text) => (text === 'none' ? Object.freeze([]) : allowedTargets.parse(text)),
};

const allowedTargets = listOf('', (entry) => (entry === 'loopback' ? entry : parseCidr(entry)));

function parseCidr(entry: string): string | undefined {
  const [address = '', prefix, ...rest] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || rest.length > 0) return undefined;
  const longest = version === 4 ? 32 : 128;
  if (prefix === undefined) return `${address}/${longest}`;
  return /^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= longest ? entry : undefined;
}

export const originList = listOf('be a comma list of origins such as https://example.org, or *', (entry) => {
  if (entry === '*') return entry;
  const url = URL.parse(entry);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  return url.href === `${url.origin}/` && !/[?#]/.test(entry) ? url.origin : undefined;
});

/** Only what could smuggle in a header or a second recipient is refused here; the mail library parses the rest. */
export const mailAddress: SettingRule<string> = {
  rule: 'be one mail address, user@example.org or Name <user@example.org>',
  parse: (text) => {
    const address = /^[^<>,;:\p{Cc}]*<([^<>]+)>$/u.exec(text)?.[1] ?? text;
    const valid = /^[^\s@<>,;:"\p{Cc}]+@[^\s@<>,;:"\p{Cc}]+$/u.test(address);
    return valid && text.length <= maxAddressLength ? text : undefined;
  },
};
