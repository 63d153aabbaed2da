/** The forms of a secret in byte encodings: hex, binary, base64 and its relatives. */

const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const base58Alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

export function hexOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('hex');
}

/** By width, the bits of each byte: a search encodes a secret in many forms. */
const bitsOfBytes = new Map(
  ([7, 8] as const).map((width) => [
    width,
    Array.from({ length: 256 }, (_, byte) => byte.toString(2).padStart(width, '0')),
  ]),
);

export function bitsOf(text: string, width: 7 | 8): string {
  const known = bitsOfBytes.get(width) ?? [];
  let bits = '';
  for (const byte of Buffer.from(text, 'utf8')) bits += known[byte] ?? '';
  return bits;
}

/**
 * The base64 encodings of `text` inside a longer text: for each of the three alignments, the part that does not depend
 * on the neighbours. Letters, digits and hyphens produce none of the characters in which the URL-safe alphabet differs.
 */
export function base64Cores(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8');
  return [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6)),
  );
}

/** The same for base32, which has five alignments. */
export function base32Cores(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8');
  return [0, 1, 2, 3, 4].map((offset) => {
    const skip = (5 - ((offset * 8) % 5)) % 5;
    let core = '';
    for (let bit = skip; bit + 5 <= bytes.length * 8; bit += 5) {
      const at = Math.floor(bit / 8);
      const two = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
      core += base32Alphabet.charAt((two >> (11 - (bit % 8))) & 31);
    }
    return core;
  });
}

export function base58Of(text: string): string {
  let value = BigInt(`0x${hexOf(text)}`);
  let encoded = '';
  while (value > 0n) {
    encoded = base58Alphabet.charAt(Number(value % 58n)) + encoded;
    value /= 58n;
  }
  return encoded;
}

/** Ascii85 without its last group, which depends on what follows. */
export function ascii85Of(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  let encoded = '';
  for (let start = 0; start + 4 <= bytes.length; start += 4) {
    let value = bytes.readUInt32BE(start);
    let group = '';
    for (let place = 0; place < 5; place += 1) {
      group = String.fromCharCode(33 + (value % 85)) + group;
      value = Math.floor(value / 85);
    }
    encoded += group;
  }
  return encoded;
}

/** Letters shifted through the alphabet; digits stay the same. */
export function shiftLetters(text: string, by: number): string {
  let shifted = '';
  for (const letter of text) {
    shifted += isLetter(letter) ? String.fromCharCode(((letter.charCodeAt(0) - 97 + by) % 26) + 97) : letter;
  }
  return shifted;
}

function isLetter(character: string): boolean {
  return character >= 'a' && character <= 'z';
}

export function atbash(text: string): string {
  return text.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(219 - letter.charCodeAt(0)));
}

/** Digits shifted modulo ten. */
export function shiftDigits(text: string, by: number): string {
  return text.replaceAll(/\d/g, (digit) => String((Number(digit) + by) % 10));
}

export function rot47(text: string): string {
  return text.replaceAll(/[!-~]/g, (character) =>
    String.fromCharCode(((character.charCodeAt(0) - 33 + 47) % 94) + 33),
  );
}
