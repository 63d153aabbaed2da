import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { Point } from '@noble/ed25519';
import { parsePublicKey } from '#domain/agents/keys/public-key.ts';
import {
  encodeUnreduced,
  FIELD_PRIME,
  fromLittleEndian,
  isSquare,
  knownSmallOrderEncodings,
  smallOrderPoints,
  xSquared,
} from './edwards-points.ts';
import { rfc8032Vectors } from './rfc8032-vectors.ts';
import { seededKey } from './seeded-key.ts';

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

test('the public keys of RFC 8032 are accepted and returned unchanged', () => {
  for (const { publicKey } of rfc8032Vectors) {
    const bytes = new Uint8Array(Buffer.from(publicKey, 'hex'));
    expect(parsePublicKey(base64(bytes))).toEqual(bytes);
  }
});

test('a key made by another implementation is accepted', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (seed) => {
      const { publicKey } = seededKey(seed);
      expect(parsePublicKey(base64(publicKey))).toEqual(publicKey);
    }),
  );
});

test('the key under which the runtime verifies any signature is rejected', () => {
  expect(parsePublicKey('AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=')).toBeNull();
});

test('all 14 encodings of the points of small order are rejected', () => {
  expect(new Set(knownSmallOrderEncodings.map(({ bytes }) => base64(bytes))).size).toBe(14);
  expect(knownSmallOrderEncodings.filter(({ canonical }) => canonical).length).toBe(8);
  for (const { bytes } of knownSmallOrderEncodings) {
    expect(Point.fromBytes(bytes, true).isSmallOrder()).toBe(true);
    expect(parsePublicKey(base64(bytes))).toBeNull();
  }
});

test('y >= p is rejected even where the reduced point is a valid key (RFC 8032, 5.1.3)', () => {
  let keysWithTwoSpellings = 0;
  for (let y = 0n; y < 19n; y += 1n) {
    for (const sign of [0, 1] as const) {
      expect(parsePublicKey(base64(encodeUnreduced(y + FIELD_PRIME, sign)))).toBeNull();
      if (parsePublicKey(base64(encodeUnreduced(y, sign))) !== null) keysWithTwoSpellings += 1;
    }
  }
  expect(keysWithTwoSpellings).toBeGreaterThan(0);
});

test('any 32 bytes are accepted exactly when RFC 8032 decodes them and their order is not small', () => {
  const smallOrder = new Set(smallOrderPoints.map((point) => base64(point.toBytes())));
  const verdicts = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      const written = fromLittleEndian(bytes);
      const y = written % 2n ** 255n;
      const squared = xSquared(y);
      const decodes = y < FIELD_PRIME && isSquare(squared) && !(squared === 0n && written >= 2n ** 255n);
      const expected = decodes && !smallOrder.has(base64(bytes));
      verdicts[expected ? 'accepted' : 'refused'] += 1;
      expect(parsePublicKey(base64(bytes)) !== null).toBe(expected);
    }),
    { numRuns: 400 },
  );
  // About half of all y are on the curve, so both cases must have occurred.
  expect(Math.min(verdicts.accepted, verdicts.refused)).toBeGreaterThan(50);
});

test('keys of mixed order are accepted: RFC 8032 decodes them and signing still needs the private scalar', () => {
  for (const torsion of smallOrderPoints.slice(1)) {
    const bytes = Point.BASE.multiply(123_456_789n).add(torsion).toBytes();
    expect(Point.fromBytes(bytes).isTorsionFree()).toBe(false);
    expect(parsePublicKey(base64(bytes))).toEqual(bytes);
  }
});

test('any other spelling of a valid key is rejected', () => {
  const bytes = Buffer.from(rfc8032Vectors[2].publicKey, 'hex');
  for (const wrong of [
    bytes.toString('base64').replace('=', ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    ` ${bytes.toString('base64')}`,
    bytes.subarray(1).toString('base64'),
    Buffer.concat([bytes, Buffer.of(0)]).toString('base64'),
    '',
  ]) {
    expect(parsePublicKey(wrong)).toBeNull();
  }
});
