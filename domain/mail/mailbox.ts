/** Mail addresses. Each comes from outside, and each becomes a header and an SMTP command, so none is taken on trust. */

/** One address with the name that mail programs show beside it. */
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

/**
 * Whether `text` is an address that a stranger may give: ASCII, unquoted, with a domain of two labels or more. It holds
 * no character that means something in a header, so that it can be nothing but one address there.
 */
export function isPlainAddress(text: string): boolean {
  const [, localPart] = plainAddress.exec(text) ?? [];
  return localPart !== undefined && localPart.length <= localPartLengthMax && text.length <= addressLengthMax;
}

/**
 * Reads `user@example.org` or `Name <user@example.org>`, as the settings hold them. Null for anything that could be
 * more than one address, or a header of its own.
 */
export function parseMailbox(text: string): Mailbox | null {
  const [, name, bracketed] = /^([^<>,;:\p{Cc}]*)<([^<>]+)>$/u.exec(text) ?? [];
  const address = bracketed ?? text;
  if (!/^[^\s@<>,;:"\p{Cc}]+@[^\s@<>,;:"\p{Cc}]+$/u.test(address)) return null;
  return { name: (name ?? '').trim().replaceAll('"', ''), address };
}
