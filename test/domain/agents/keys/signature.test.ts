import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { parseSignature, verifySignature } from '#domain/agents/keys/signature.ts';
import { rfc8032Vectors } from './rfc8032-vectors.ts';
import { seededKey } from './seeded-key.ts';

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
const seed = fc.uint8Array({ minLength: 32, maxLength: 32 });

function flipBit(bytes: Uint8Array, bit: number): Uint8Array {
  const flipped = Uint8Array.from(bytes);
  flipped[bit >> 3]! ^= 1 << (bit & 7);
  return flipped;
}

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
    fc.property(seed, seed, fc.uint8Array({ maxLength: 400 }), (seed, otherSeed, message) => {
      fc.pre(Buffer.compare(seed, otherSeed) !== 0);
      const key = seededKey(seed);
      const signature = key.sign(message);
      expect(verifySignature(signature, message, key.publicKey)).toBe(true);
      expect(verifySignature(signature, message, seededKey(otherSeed).publicKey)).toBe(false);
      expect(verifySignature(signature, Uint8Array.of(...message, 0), key.publicKey)).toBe(false);
    }),
    { numRuns: 100 },
  );
});

test('flipping any single bit of a signature, its key or its message invalidates it', () => {
  const { message: text, publicKey: key, signature: signed } = rfc8032Vectors[2];
  const [message, publicKey, signature] = [hex(text), hex(key), hex(signed)];
  const accepted: string[] = [];
  for (let bit = 0; bit < signature.length * 8; bit += 1) {
    if (verifySignature(flipBit(signature, bit), message, publicKey)) accepted.push(`signature ${bit}`);
  }
  for (let bit = 0; bit < publicKey.length * 8; bit += 1) {
    if (verifySignature(signature, message, flipBit(publicKey, bit))) accepted.push(`key ${bit}`);
  }
  for (let bit = 0; bit < message.length * 8; bit += 1) {
    if (verifySignature(signature, flipBit(message, bit), publicKey)) accepted.push(`message ${bit}`);
  }
  expect(accepted).toEqual([]);
});

test('flipping a random bit is detected for random keys and messages', () => {
  const message = fc.uint8Array({ minLength: 1, maxLength: 400 });
  fc.assert(
    fc.property(seed, message, fc.nat(), (seed, message, position) => {
      const key = seededKey(seed);
      const parts = [key.sign(message), message, key.publicKey] as const;
      let bit = position % (parts.reduce((sum, part) => sum + part.length, 0) * 8);
      const [signature, text, publicKey] = parts.map((part) => {
        const changed = bit >= 0 && bit < part.length * 8 ? flipBit(part, bit) : part;
        bit -= part.length * 8;
        return changed;
      });
      expect(verifySignature(signature!, text!, publicKey!)).toBe(false);
    }),
    { numRuns: 200 },
  );
});

test('a signature or key of the wrong length is rejected without an error', () => {
  const { publicKey, signature } = rfc8032Vectors[0];
  const message = new Uint8Array();
  for (const wrong of [hex(signature).slice(0, 63), Uint8Array.of(...hex(signature), 0), new Uint8Array()]) {
    expect(verifySignature(wrong, message, hex(publicKey))).toBe(false);
  }
  for (const wrong of [hex(publicKey).slice(0, 31), Uint8Array.of(...hex(publicKey), 0), new Uint8Array()]) {
    expect(verifySignature(hex(signature), message, wrong)).toBe(false);
  }
});

test('a signature parses only from 88 characters of canonical base64', () => {
  const bytes = hex(rfc8032Vectors[1].signature);
  const text = Buffer.from(bytes).toString('base64');
  expect(text.length).toBe(88);
  expect(parseSignature(text)).toEqual(bytes);
  for (const wrong of [
    text.replaceAll('=', ''),
    `${text}\n`,
    Buffer.from(bytes).toString('base64url'),
    Buffer.from(bytes).toString('hex'),
    Buffer.from(bytes.slice(1)).toString('base64'),
    Buffer.from([...bytes, 0]).toString('base64'),
    `${text.slice(0, 85)}B==`,
    '',
  ]) {
    expect(parseSignature(wrong)).toBeNull();
  }
});
