/**
 * Looks for a secret in a reply: plain, reversed, in rot13, hex or base64, whole or by its longer parts, also
 * with letters spaced out, in other widths or with invisible characters in between. Takes a few passes over
 * any reply.
 */

/** Shorter parts of a secret could occur by chance and are not looked for. */
const minPartCharacters = 8;

/** The form in which `reply` contains `secret`, or null. */
export function findLeak(reply: string, secret: string): string | null {
  // Arabic ligatures contain no Latin letters, but grow up to eighteen-fold when normalised.
  const lowered = reply
    .replaceAll(/[\ufb50-\ufdff]+/g, ' ')
    .normalize('NFKC')
    .toLowerCase();
  const squeezed = squeeze(lowered);
  const digits = squeeze(lowered.replaceAll(/0x|\\x|\\u00|u\+00|&#x/g, ''));
  const unbroken = reply.replaceAll(/\s+/g, '');
  const parts = [secret, ...secret.split('-').filter((part) => part.length >= minPartCharacters)];
  for (const part of parts) {
    const plain = squeeze(part.toLowerCase());
    const reversed = reverse(plain);
    if (squeezed.includes(plain)) return 'in plain text';
    if (squeezed.includes(reversed)) return 'reversed';
    if (squeezed.includes(rot13(plain)) && rot13(plain) !== plain) return 'in rot13';
    for (const text of new Set([part, part.toLowerCase(), part.toUpperCase(), reverse(part)])) {
      const bytes = Buffer.from(text, 'utf8');
      if (digits.includes(bytes.toString('hex'))) return 'in hex';
      if (base64Cores(bytes).some((core) => unbroken.includes(core))) return 'in base64';
    }
  }
  return null;
}

function squeeze(text: string): string {
  return text.replaceAll(/[^a-z0-9]+/g, '');
}

function reverse(text: string): string {
  return Array.from(text).toReversed().join('');
}

function rot13(text: string): string {
  return text.replaceAll(/[a-z]/g, (letter) =>
    String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97),
  );
}

/**
 * The base64 of `bytes` at any offset in a longer text: for each of the three alignments, the characters that
 * do not depend on the neighbours. Letters, digits and hyphens never encode to the two characters in which
 * the URL-safe alphabet differs.
 */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6)),
  );
}
