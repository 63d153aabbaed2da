/**
 * Parses and validates mail addresses. They come from outside and end up in headers and SMTP commands, so
 * none is trusted.
 */

import { domainToASCII } from 'node:url';

/** An address with the display name that mail programs show. */
export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** RFC 5321 section 4.5.3.1.1. */
const localPartLengthMax = 64;
const addressLengthMax = 254;
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const plainAddress = new RegExp(`^(${atom}(?:\\.${atom})*)@${label}(?:\\.${label})+$`);

/** The address with an internationalised domain in its xn-- form, as mail servers know it. */
export function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  return address.slice(0, at) + domainToASCII(address.slice(at));
}

/**
 * Accepts an address from a stranger: ASCII, unquoted, with a domain of at least two labels. No accepted
 * character has a meaning in a header, so the text is always exactly one address.
 */
export function isPlainAddress(text: string): boolean {
  const [, localPart] = plainAddress.exec(text) ?? [];
  return localPart !== undefined && localPart.length <= localPartLengthMax && text.length <= addressLengthMax;
}

/**
 * Parses `user@example.org` or `Name <user@example.org>`, the form used in settings. Returns null for
 * anything that could be several addresses or inject a header.
 */
export function parseMailbox(text: string): Mailbox | null {
  const [, name, bracketed] = /^([^<>,;:\p{Cc}]*)<([^<>]+)>$/u.exec(text) ?? [];
  const address = bracketed ?? text;
  if (!/^[^\s@<>,;:"\p{Cc}]+@[^\s@<>,;:"\p{Cc}]+$/u.test(address)) return null;
  return { name: (name ?? '').trim().replaceAll('"', ''), address };
}
