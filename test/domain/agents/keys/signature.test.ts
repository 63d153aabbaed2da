import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { parseSignature, verifySignature } from '#domain/agents/keys/signature.ts';
import { rfc8032Vectors } from './rfc8032-vectors.ts';
import { seededKey } from './seeded-key.ts';

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
const seed = fc.uint8Array({ minLength: 32, maxLength: 32 });

for (const vector of rfc8032Vectors) {
  test(`RFC 8032 section 7.1, ${vector.name}, verifies`, () => {
    const message = hex(vector.message);
    const key = seededKey(hex(vector.seed));
    // Ed25519 is deterministic, so this also shows that the vector was copied correctly.
    expect(Buffer.from(key.publicKey).toString('hex')).toBe(vector.publicKey);
    expect(Buffer.from(key.sign(message)).toString('hex')).toBe(vector.signature);
    expect(verifySignature(hex(vector.signature), message, hex(vector.publicKey))).toBe(true);
  });
}

test('a signature from another implementation verifies, and under no other key or message', () => {
  fc.assert(
    fc.property(seed, seed, fc.uint8Array({ maxLength: 1_100 }), (seed, otherSeed, message) => {
      fc.pre(Buffer.compare(seed, otherSeed) !== 0);
      const key = seededKey(seed);
      const signature = key.sign(message);
      expect(verifySignature(signature, message, key.publicKey)).toBe(true);
      expect(verifySignature(signature, message, seededKey(otherSeed).publicKey)).toBe(false);
      expect(verifySignature(signature, Uint8Array.of(...message, 0), key.publicKey)).toBe(false);
    }),
    { numRuns: 20 },
  );
});

/**
 * The edge cases in which Ed25519 verifiers are known to differ ("Taming the many EdDSAs", table 5), in hex, with the
 * verdict of a strict reading of RFC 8032. The equation holds for all of them.
 */
const smallPoint = 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a';
const mixedR = '90531740f896b841497db680ba106e623b8845019a7e8aa32151b98ecae24531';
const mixedA = '73489b89e5e779ca2582659b86376222081e94fa585717455be2a70536bb9c08';
const plainR = '92f288671871d807e33d7e946c1cb7e0665a5af72122356ace0424eac672da62';
const plainA = '0472b0b6e1f38a71f81eabb4c6d80c1433cbaa36fd2427f17b6262a7de821639';
const otherA = 'e98d4f491e0c758e07e1544b3927f3ebcc3455c902dbd80e849d9d58217de9c6';
const nonCanonical = 'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f';
const identity = '0100000000000000000000000000000000000000000000000000000000000000';
/** S, the second halves of the signatures, by the case that first has it. */
const scalars = {
  1: '665544332211ce8a4602e0ac682411badd000000000000000000000000000000',
  2: 'e9910c994f83f7b63ac4a8dcf27d67a46b58ec1e36a087a55c737305e12a810c',
  3: '9e972160a42a62016021226f35213e115be15371c9a920d6613c0ac919fb1d0b',
  4: '0bb81cb96edefda00d0b46f194cc9fe531540ec30ee8ad825c499388f6e58909',
  5: 'e24d671b62f923ce3c04cc199435a38a41e4fe43a9fc655ff22d8fb241cb0a06',
  6: '09d4fcca815eef81428bc80262466d7600eb332c68cba6caa4f1f728bba23f15',
  7: '12977883d866defa24825b49b0f6bf8501eb332c68cba6caa4f1f728bba23fe5',
  8: 'd90d2a869bce4f372b7bf355dd601bc1b3959a7904a2ba4ee7a85a8ef5f69407',
  9: '3bd3e58f953e7b69518c057f3facf16e3d0bc84bfe5fd0d6a56bdd5f028f4302',
};

test.each([
  ['0: small A, small R, S = 0', 'message 13', smallPoint, smallPoint, '00'.repeat(32), false],
  ['1: small A, mixed R', 'message 25', smallPoint, mixedR, scalars[1], false],
  ['2: mixed A, small R', 'message 36', mixedA, smallPoint, scalars[2], true],
  ['3: mixed A, mixed R', 'message 2', mixedA, mixedR, scalars[3], true],
  ['4: mixed A, mixed R, holds with the cofactor only', 'message 0', mixedA, mixedR, scalars[4], true],
  ['5: mixed A, fails where 8k is reduced too early', 'message 1', mixedA, plainR, scalars[5], true],
  ['6: S + L', 'message 0', plainA, plainR, scalars[6], false],
  ['7: S + 14 L', 'message 0', plainA, plainR, scalars[7], false],
  ['8: non-canonical R, reduced before hashing', 'message 1', otherA, nonCanonical, scalars[8], false],
  ['9: non-canonical R, hashed as sent', 'message 0', otherA, nonCanonical, scalars[9], false],
  ['10: non-canonical small A, reduced before hashing', 'message 0', nonCanonical, plainR, scalars[1], false],
  ['11: the runtime accepts it for every message', 'any', identity, identity, '00'.repeat(32), false],
] as const)('edge case %s', (_, message, key, r, scalar, verifies) => {
  expect(verifySignature(hex(r + scalar), Buffer.from(message), hex(key))).toBe(verifies);
});

test('a signature or key of the wrong length is rejected without an error', () => {
  const { publicKey, signature } = rfc8032Vectors[0];
  const message = new Uint8Array();
  const wrongs = (text: string) => [hex(text).slice(1), Uint8Array.of(...hex(text), 0), new Uint8Array()];
  for (const wrong of wrongs(signature)) expect(verifySignature(wrong, message, hex(publicKey))).toBe(false);
  for (const wrong of wrongs(publicKey)) expect(verifySignature(hex(signature), message, wrong)).toBe(false);
});

/** `public-key.test.ts` has the other spellings. */
test('a signature parses only from 88 characters of canonical base64', () => {
  const bytes = hex(rfc8032Vectors[1].signature);
  const [text = '', short, long] = [bytes, bytes.slice(1), Uint8Array.of(...bytes, 0)].map((given) =>
    Buffer.from(given).toString('base64'),
  );
  expect(text.length).toBe(88);
  expect(parseSignature(text)).toEqual(bytes);
  for (const wrong of [text.replaceAll('=', ''), short, long]) expect(parseSignature(wrong!)).toBeNull();
});
