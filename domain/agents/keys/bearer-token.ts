/**
 * Makes bearer tokens, tells a mistyped one from a possible one without asking the database, and gives the hash under
 * which they are stored. The checksum is no secret and proves nothing; it saves the look-up, and lets scanners for
 * leaked secrets recognise a token.
 */
import { BEARER_TOKEN_BYTES } from './byte-lengths.ts';

const PREFIX = 'hub_';

// The digits stand in the order of their character codes, so that numbers of one length compare as their texts do.
const BASE62_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The fewest base62 digits that hold 256 bits. */
const RANDOM_DIGITS = 43;

/** The fewest base62 digits that hold 32 bits. */
const CHECKSUM_DIGITS = 6;

const CHECKSUM_START = PREFIX.length + RANDOM_DIGITS;
const TOKEN_LENGTH = CHECKSUM_START + CHECKSUM_DIGITS;
const TOKEN_PATTERN = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_DIGITS + CHECKSUM_DIGITS}}$`);

/** 43 digits reach a little past 256 bits; what lies above this number was never issued. */
const GREATEST_RANDOM_PART = base62(2n ** 256n - 1n, RANDOM_DIGITS);

/** Makes a new token: `hub_`, 256 random bits as 43 base62 digits, and 6 digits of CRC32 over all that precedes them. */
export function createBearerToken(): string {
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(BEARER_TOKEN_BYTES)));
  const body = PREFIX + base62(BigInt(`0x${random.toString('hex')}`), RANDOM_DIGITS);
  return body + checksumOf(body);
}

/**
 * Tells whether {@link createBearerToken} could have made this text: length, digits, range and checksum. Any single
 * wrong character and any two neighbours swapped are found. Never throws, and costs well under a microsecond.
 */
export function isWellFormedBearerToken(text: string): boolean {
  if (text.length !== TOKEN_LENGTH || !TOKEN_PATTERN.test(text)) return false;
  const body = text.slice(0, CHECKSUM_START);
  return body.slice(PREFIX.length) <= GREATEST_RANDOM_PART && text.slice(CHECKSUM_START) === checksumOf(body);
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
  for (let i = 0; i < CHECKSUM_DIGITS; i += 1) {
    text = BASE62_DIGITS.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Writes a number in base62, padded with zeros to `digits`; the caller knows that it fits. */
function base62(value: bigint, digits: number): string {
  let text = '';
  let rest = value;
  for (let i = 0; i < digits; i += 1) {
    text = BASE62_DIGITS.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}
