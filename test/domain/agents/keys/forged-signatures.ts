/**
 * Signatures that are wrong in ways verifiers are known to miss, computed from the definition of Ed25519 for
 * any key and message, grouped by the rule each breaks. The groups follow the EdDSA vectors of Project
 * Wycheproof.
 */
import { createHash } from 'node:crypto';
import { Point } from '@noble/ed25519';
import {
  craftSignature,
  encodeUnreduced,
  FIELD_PRIME,
  fromLittleEndian,
  GROUP_ORDER,
  isSquare,
  knownSmallOrderEncodings,
  toLittleEndian,
  xSquared,
} from './edwards-points.ts';

/** A key with its private scalar, from which the forgeries are computed. */
export interface OpenKey {
  readonly scalar: bigint;
  readonly publicKey: Uint8Array;
}

export interface ForgedSignature {
  readonly rule: string;
  readonly signature: Uint8Array;
}

export function openKey(scalar: bigint): OpenKey {
  return { scalar, publicKey: Point.BASE.multiplyUnsafe(scalar).toBytes() };
}

interface Terms {
  readonly nonce?: bigint;
  /** Hashed before R, as in Ed25519ctx and Ed25519ph. */
  readonly prefix?: Uint8Array;
  /** Hashed instead of R or A. */
  readonly hashedNonce?: Uint8Array;
  readonly hashedKey?: Uint8Array;
}

const fixedNonce = 0x1357_9bdf_0246_8ace_1234_5678_9abc_def0n;

/** The valid signature for its nonce (RFC 8032, section 5.1.6), unless `terms` say otherwise. */
export function signWith({ scalar, publicKey }: OpenKey, message: Uint8Array, terms: Terms = {}): Uint8Array {
  const { nonce = fixedNonce, prefix = new Uint8Array() } = terms;
  const point = Point.BASE.multiplyUnsafe(nonce).toBytes();
  const digest = createHash('sha512')
    .update(prefix)
    .update(terms.hashedNonce ?? point)
    .update(terms.hashedKey ?? publicKey)
    .update(message)
    .digest();
  const s = (nonce + (fromLittleEndian(digest) % GROUP_ORDER) * scalar) % GROUP_ORDER;
  return Uint8Array.of(...point, ...toLittleEndian(s));
}

/** All forgeries for one key and message. */
export function forgeSignatures(key: OpenKey, message: Uint8Array): readonly ForgedSignature[] {
  const right = signWith(key, message);
  const groups: Readonly<Record<string, readonly Uint8Array[]>> = {
    'S is below L': outOfRange(right),
    'R is written with y below p': [...unreducedNonces(right), ...unreducedSmallNonces(key, message)],
    'R is on the curve': offTheCurve(right),
    'R is the point that was signed with': otherNonces(key, right),
    'S is the scalar that was signed with': otherScalars(right),
    'R comes before S': misplaced(right),
    'the message is the one that was signed': otherMessages(message).map((other) => signWith(key, other)),
    'nothing is hashed before R, R and A are hashed as they are': otherHashes(key, message),
    'the key is the one that signed': otherKeys(key, message),
    'no bit is changed': flippedBits(right),
  };
  return Object.entries(groups).flatMap(([rule, signatures]) =>
    signatures.map((signature) => ({ rule, signature })),
  );
}

const withNonce = (right: Uint8Array, nonce: Uint8Array) => Uint8Array.of(...nonce, ...right.slice(32));
const withScalar = (right: Uint8Array, s: Uint8Array) => Uint8Array.of(...right.slice(0, 32), ...s);

function outOfRange(right: Uint8Array): Uint8Array[] {
  const s = fromLittleEndian(right.slice(32));
  const more = Array.from({ length: 15 }, (_, times) => s + BigInt(times + 1) * GROUP_ORDER);
  const topBits = [252n, 253n, 254n, 255n].map((bit) => s | (1n << bit));
  const edges = [
    GROUP_ORDER,
    GROUP_ORDER + 1n,
    2n ** 252n * 2n,
    2n ** 253n,
    2n ** 255n - 1n,
    2n ** 256n - 1n,
  ];
  return [...more, ...topBits, ...edges]
    .filter((value) => value < 2n ** 256n && value !== s)
    .map((value) => withScalar(right, toLittleEndian(value)));
}

/** Nineteen values of y have a second encoding, each with either sign. */
function unreducedNonces(right: Uint8Array): Uint8Array[] {
  return Array.from({ length: 19 }, (_, y) => FIELD_PRIME + BigInt(y)).flatMap((y) =>
    ([0, 1] as const).map((sign) => withNonce(right, encodeUnreduced(y, sign))),
  );
}

/**
 * Nonces of small order, for which the equation holds if the verifier reduces y. Computed for this key and
 * message.
 */
function unreducedSmallNonces({ scalar }: OpenKey, message: Uint8Array): Uint8Array[] {
  return knownSmallOrderEncodings
    .filter(({ canonical }) => !canonical)
    .flatMap(({ bytes, torsion }) =>
      (['sent', 'canonical'] as const).map((hashed) => {
        const terms = { keyScalar: scalar, keyTorsion: 0, nonceScalar: 0n, nonceTorsion: torsion };
        return craftSignature({ ...terms, message, sentNonce: bytes, hashed }).signature;
      }),
    );
}

function offTheCurve(right: Uint8Array): Uint8Array[] {
  const ys = Array.from({ length: 40 }, (_, y) => BigInt(y)).filter((y) => !isSquare(xSquared(y)));
  return ys.slice(0, 10).map((y) => withNonce(right, encodeUnreduced(y, 0)));
}

function otherNonces({ publicKey }: OpenKey, right: Uint8Array): Uint8Array[] {
  const nonce = Point.fromBytes(right.slice(0, 32));
  const points = [
    nonce.negate(),
    nonce.double(),
    nonce.add(Point.BASE),
    Point.BASE,
    Point.fromBytes(publicKey),
  ];
  return [
    ...points.map((point) => withNonce(right, point.toBytes())),
    ...knownSmallOrderEncodings.map(({ bytes }) => withNonce(right, bytes)),
  ];
}

function otherScalars(right: Uint8Array): Uint8Array[] {
  const s = fromLittleEndian(right.slice(32));
  const values = [0n, 1n, s + 1n, s - 1n, GROUP_ORDER - s, GROUP_ORDER - 1n, (s * 2n) % GROUP_ORDER, s >> 1n];
  return values.map((value) => withScalar(right, toLittleEndian(value)));
}

function misplaced(right: Uint8Array): Uint8Array[] {
  const [nonce, s] = [right.slice(0, 32), right.slice(32)];
  return [
    Uint8Array.of(...s, ...nonce),
    Uint8Array.of(...nonce, ...nonce),
    Uint8Array.of(...s, ...s),
    Uint8Array.of(...nonce, ...s.toReversed()),
    Uint8Array.of(...nonce.toReversed(), ...s),
    right.toReversed(),
    new Uint8Array(64),
    new Uint8Array(64).fill(0xff),
    Uint8Array.of(1, ...new Uint8Array(63)),
  ];
}

/** What a careless client signs instead of the challenge's bytes. */
function otherMessages(message: Uint8Array): Uint8Array[] {
  const bytes = Buffer.from(message);
  const text = bytes.toString();
  const sha = (name: string) => createHash(name).update(bytes).digest();
  return [
    Buffer.alloc(0),
    Buffer.concat([bytes, Buffer.from('\n')]),
    Buffer.concat([bytes, Buffer.alloc(1)]),
    bytes.subarray(0, -1),
    bytes.subarray(1),
    bytes.toReversed(),
    Buffer.from(text.toUpperCase()),
    Buffer.from(bytes.toString('hex')),
    Buffer.from(bytes.toString('base64')),
    Buffer.from(text, 'utf16le'),
    Buffer.from(JSON.stringify(text)),
    Buffer.from(text.split(' ').at(-1) ?? ''),
    Buffer.concat([bytes, bytes]),
    sha('sha256'),
    sha('sha512'),
  ].filter((other) => Buffer.compare(other, bytes) !== 0);
}

/** Ed25519ctx and Ed25519ph (RFC 8032, section 2), and variants that leave R or A out of the hash. */
function otherHashes(key: OpenKey, message: Uint8Array): Uint8Array[] {
  const dom2 = (flag: number, context = '') =>
    Uint8Array.of(
      ...Buffer.from('SigEd25519 no Ed25519 collisions'),
      flag,
      context.length,
      ...Buffer.from(context),
    );
  const prehashed = createHash('sha512').update(message).digest();
  const none = new Uint8Array();
  return [
    signWith(key, message, { prefix: dom2(0) }),
    signWith(key, message, { prefix: dom2(0, 'hub') }),
    signWith(key, prehashed, { prefix: dom2(1) }),
    signWith(key, prehashed, { prefix: dom2(1, 'hub') }),
    signWith(key, message, { hashedKey: none }),
    signWith(key, message, { hashedNonce: none }),
    signWith(key, message, { hashedKey: none, hashedNonce: none }),
    signWith(key, message, { hashedKey: Point.BASE.toBytes() }),
    signWith(key, message, { hashedNonce: key.publicKey }),
  ];
}

function otherKeys({ scalar, publicKey }: OpenKey, message: Uint8Array): Uint8Array[] {
  const scalars = [3n, 5n, scalar + 1n, GROUP_ORDER - scalar, scalar * 8n].map(
    (value) => value % GROUP_ORDER,
  );
  const others = scalars.filter((other) => other !== 0n && other !== scalar).map(openKey);
  return others.flatMap((other) => [
    signWith(other, message),
    signWith(other, message, { hashedKey: publicKey }),
  ]);
}

/** One flipped bit in each of the 64 bytes. */
function flippedBits(right: Uint8Array): Uint8Array[] {
  return Array.from(right, (byte, index) => right.with(index, byte ^ (1 << (index % 8))));
}
