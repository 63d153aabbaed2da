/**
 * Makes bearer tokens, tells a mistyped one from a possible one without asking the database, and gives the hash under
 * which they are stored. The checksum is no secret and proves nothing; it saves the look-up, and lets scanners for
 * leaked secrets recognise a token.
 */

/** The random part of a token. */
const bearerTokenBytes = 32;

const prefix = 'hub_';

// The digits stand in the order of their character codes, so that numbers of one length compare as their texts do.
const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The fewest base62 digits that hold 256 bits. */
const randomDigits = 43;

/** The fewest base62 digits that hold 32 bits. */
const checksumDigits = 6;

const checksumStart = prefix.length + randomDigits;
const tokenLength = checksumStart + checksumDigits;
const tokenPattern = new RegExp(`^${prefix}[0-9A-Za-z]{${randomDigits + checksumDigits}}$`);

/** 43 digits reach a little past 256 bits; what lies above this number was never issued. */
const greatestRandomPart = base62(2n ** 256n - 1n, randomDigits);

/** Makes a new token: `hub_`, 256 random bits as 43 base62 digits, and 6 digits of CRC32 over all that precedes them. */
export function createBearerToken(): string {
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(bearerTokenBytes)));
  const body = prefix + base62(BigInt(`0x${random.toString('hex')}`), randomDigits);
  return body + checksumOf(body);
}

/**
 * Tells whether {@link createBearerToken} could have made this text: length, digits, range and checksum. Any single
 * wrong character and any two neighbours swapped are found. Never throws, and costs well under a microsecond.
 */
export function isWellFormedBearerToken(text: string): boolean {
  if (text.length !== tokenLength || !tokenPattern.test(text)) return false;
  const body = text.slice(0, checksumStart);
  return body.slice(prefix.length) <= greatestRandomPart && text.slice(checksumStart) === checksumOf(body);
}

/**
 * The SHA-256 of a token as 64 lower-case hex digits, under which the database knows it. It needs no salt and no slow
 * hash, because a token is 256 random bits and cannot be guessed from its hash.
 */
export function hashBearerToken(token: string): string {
  return Bun.SHA256.hash(token, 'hex');
}

/** In plain numbers, which 32 bits fit: every authenticated request takes this way. */
function checksumOf(body: string): string {
  let text = '';
  let rest = Bun.hash.crc32(body);
  for (let i = 0; i < checksumDigits; i += 1) {
    text = base62Digits.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Writes a number in base62, padded with zeros to `digits`; the caller knows that it fits. */
function base62(value: bigint, digits: number): string {
  let text = '';
  let rest = value;
  for (let i = 0; i < digits; i += 1) {
    text = base62Digits.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}
