/**
 * Creates, checks and hashes bearer tokens. The checksum is not a security feature: it rejects mistyped
 * tokens without a database lookup, and secret scanners use it to recognise leaked tokens.
 */

/** The random part of a token. */
const bearerTokenBytes = 32;

const prefix = 'hub_';

// In character code order, so that numbers of equal length compare like their texts.
const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The fewest base62 digits that hold 256 bits. */
const randomDigits = 43;

/** The fewest base62 digits that hold 32 bits. */
const checksumDigits = 6;

const checksumStart = prefix.length + randomDigits;
const tokenLength = checksumStart + checksumDigits;
const tokenPattern = new RegExp(`^${prefix}[0-9A-Za-z]{${randomDigits + checksumDigits}}$`);

/** 43 digits can hold slightly more than 256 bits. Larger values were never issued. */
const greatestRandomPart = base62(2n ** 256n - 1n, randomDigits);

/**
 * Creates a token: `hub_`, 256 random bits as 43 base62 digits, and a CRC32 of everything before it as 6
 * digits.
 * @param random its 256 bits
 */
export function createBearerToken(
  random: Uint8Array = crypto.getRandomValues(new Uint8Array(bearerTokenBytes)),
): string {
  const body = prefix + base62(BigInt(`0x${Buffer.from(random).toString('hex')}`), randomDigits);
  return body + checksumOf(body);
}

/**
 * Checks prefix, length, alphabet, range and checksum. Detects any single wrong character and any swap of two
 * neighbours. Never throws, and takes well under a microsecond.
 */
export function isWellFormedBearerToken(text: string): boolean {
  if (text.length !== tokenLength || !tokenPattern.test(text)) return false;
  const body = text.slice(0, checksumStart);
  return body.slice(prefix.length) <= greatestRandomPart && text.slice(checksumStart) === checksumOf(body);
}

/**
 * The SHA-256 of a token as 64 lower-case hex digits, which is what the database stores. It needs neither
 * salt nor a slow hash: 256 random bits cannot be guessed from their hash.
 */
export function hashBearerToken(token: string): string {
  return Bun.SHA256.hash(token, 'hex');
}

/** Uses plain numbers instead of bigint because it runs for every authenticated request. */
function checksumOf(body: string): string {
  let text = '';
  let rest = Bun.hash.crc32(body);
  for (let i = 0; i < checksumDigits; i += 1) {
    text = base62Digits.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Writes a number in base62, zero-padded to `digits`. The caller ensures that it fits. */
function base62(value: bigint, digits: number): string {
  let text = '';
  let rest = value;
  for (let i = 0; i < digits; i += 1) {
    text = base62Digits.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}
