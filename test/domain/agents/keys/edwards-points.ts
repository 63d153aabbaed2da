/**
 * Points and signatures that no honest signer produces: of small and mixed order, in non-canonical encodings,
 * with S out of range. They are computed from the definition of the curve. Each is checked against the
 * verification equation under the most lenient reading, so that a rejection can only be due to the one rule
 * it breaks.
 */
import { createHash } from 'node:crypto';
import { Point } from '@noble/ed25519';

export const { p: FIELD_PRIME, n: GROUP_ORDER, d: CURVE_D } = Point.CURVE();

/** The eight points of small order, as the multiples 0 to 7 of a point of order eight. */
export const smallOrderPoints: readonly Point[] = multiplesOf(pointOfOrderEight());

/** All 14 encodings that a lenient decoder reads as one of them: eight canonical, six not. */
export const knownSmallOrderEncodings = smallOrderEncodings();

export function toLittleEndian(value: bigint, byteLength = 32): Uint8Array {
  return new Uint8Array(Buffer.from(value.toString(16).padStart(byteLength * 2, '0'), 'hex')).toReversed();
}

export function fromLittleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex')}`);
}

/**
 * Encodes y and the sign of x as in RFC 8032, section 5.1.2, but without reducing y, for any y below 2^255.
 */
export function encodeUnreduced(y: bigint, sign: 0 | 1): Uint8Array {
  return toLittleEndian(y + (sign === 1 ? 2n ** 255n : 0n));
}

export function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base % FIELD_PRIME;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % FIELD_PRIME;
    square = (square * square) % FIELD_PRIME;
  }
  return result;
}

/** x² of the points with this y (from -x² + y² = 1 + dx²y²). The point exists if this is a square. */
export function xSquared(y: bigint): bigint {
  const ySquared = (y * y) % FIELD_PRIME;
  const divisor = (CURVE_D * ySquared + 1n) % FIELD_PRIME;
  return ((ySquared + FIELD_PRIME - 1n) * power(divisor, FIELD_PRIME - 2n)) % FIELD_PRIME;
}

/** Euler's criterion. */
export function isSquare(value: bigint): boolean {
  return value === 0n || power(value, (FIELD_PRIME - 1n) / 2n) === 1n;
}

export interface CraftedSignature {
  readonly key: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  /** The hash k of the equation, reduced modulo L. */
  readonly hash: bigint;
}

export interface CraftingTerms {
  /** a in A = aB + T; zero leaves a key of small order. */
  readonly keyScalar: bigint;
  /** Selects the point of small order T. */
  readonly keyTorsion: number;
  readonly nonceScalar: bigint;
  readonly nonceTorsion: number;
  readonly message: Uint8Array;
  /** Sent instead of the canonical encoding of A or R. */
  readonly sentKey?: Uint8Array;
  readonly sentNonce?: Uint8Array;
  /** Whether the encodings as sent or the canonical ones are hashed. */
  readonly hashed: 'sent' | 'canonical';
  /** The multiple of L that is added to S. */
  readonly extraOrders?: bigint;
}

/** Signs so that the cofactored equation holds for any terms. */
export function craftSignature(terms: CraftingTerms): CraftedSignature {
  const key = craftPoint(terms.keyScalar, terms.keyTorsion).toBytes();
  const nonce = craftPoint(terms.nonceScalar, terms.nonceTorsion).toBytes();
  const sentKey = terms.sentKey ?? key;
  const sentNonce = terms.sentNonce ?? nonce;
  const hash =
    terms.hashed === 'sent'
      ? challengeHash(sentNonce, sentKey, terms.message)
      : challengeHash(nonce, key, terms.message);
  const scalar = (terms.nonceScalar + hash * terms.keyScalar) % GROUP_ORDER;
  const s = toLittleEndian(scalar + (terms.extraOrders ?? 0n) * GROUP_ORDER);
  return { key: sentKey, message: terms.message, signature: Uint8Array.of(...sentNonce, ...s), hash };
}

/** Checks which forms of the equation hold when every encoding is read leniently and S is reduced. */
export function equationsThatHold(crafted: CraftedSignature): { cofactored: boolean; cofactorless: boolean } {
  const nonce = Point.fromBytes(crafted.signature.slice(0, 32), true);
  const key = Point.fromBytes(crafted.key, true);
  const scalar = fromLittleEndian(crafted.signature.slice(32)) % GROUP_ORDER;
  const rest = nonce.add(key.multiplyUnsafe(crafted.hash)).subtract(Point.BASE.multiplyUnsafe(scalar));
  return { cofactored: rest.clearCofactor().is0(), cofactorless: rest.is0() };
}

function craftPoint(scalar: bigint, torsion: number): Point {
  return Point.BASE.multiplyUnsafe(scalar).add(smallOrderPoints[torsion]!);
}

function challengeHash(nonce: Uint8Array, key: Uint8Array, message: Uint8Array): bigint {
  const digest = createHash('sha512').update(nonce).update(key).update(message).digest();
  return fromLittleEndian(digest) % GROUP_ORDER;
}

/** Multiplies points of the curve by L, which leaves their small-order part, until one has order eight. */
function pointOfOrderEight(): Point {
  for (let y = 2n; y < 100n; y += 1n) {
    if (!isSquare(xSquared(y))) continue;
    const point = Point.fromBytes(encodeUnreduced(y, 0));
    const torsion = point.multiplyUnsafe(GROUP_ORDER - 1n).add(point);
    if (!torsion.double().double().is0()) return torsion;
  }
  throw new Error('No point of order eight below y = 100.');
}

function multiplesOf(point: Point): Point[] {
  const multiples = [Point.ZERO];
  for (let i = 1; i < 8; i += 1) multiples.push(multiples[i - 1]!.add(point));
  return multiples;
}

function smallOrderEncodings(): { bytes: Uint8Array; canonical: boolean; torsion: number }[] {
  const found = [];
  for (const [torsion, point] of smallOrderPoints.entries()) {
    const { x, y } = point.toAffine();
    // y may be written with p added while it stays below 2^255, and x = 0 may carry either sign.
    for (const writtenY of [y, y + FIELD_PRIME].filter((value) => value < 2n ** 255n)) {
      for (const sign of [0, 1] as const) {
        if (x !== 0n && sign !== Number(x & 1n)) continue;
        const bytes = encodeUnreduced(writtenY, sign);
        found.push({ bytes, canonical: Buffer.compare(bytes, point.toBytes()) === 0, torsion });
      }
    }
  }
  return found;
}
