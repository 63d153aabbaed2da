import { expect, test } from 'bun:test';
import { base58 } from '@scure/base';
import * as fc from 'fast-check';
import { didFromPublicKey } from '#domain/agents/keys/public-key.ts';
import { seededKey } from './seeded-key.ts';

test('the key pairs published with the did:key method get their published DIDs', () => {
  // The published key pairs use the seeds 0, 1 and 2, as 32 bytes with the number in the last one.
  for (const [number, did] of [
    'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp',
    'did:key:z6MkjchhfUsD6mmvni8mCdXHw216Xrm9bQe2mBH1P5RDjVJG',
    'did:key:z6MknGc3ocHs3zdPiJbnaaqDi58NGb4pk1Sp9WxWufuXSdxf',
  ].entries()) {
    const { publicKey } = seededKey(Uint8Array.of(...new Uint8Array(31), number));
    expect(didFromPublicKey(publicKey)).toBe(did);
  }
});

test('the example DID of the specification is derived from the key it contains', () => {
  const example = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';
  const decoded = base58.decode(example.slice('did:key:z'.length));
  expect(Array.from(decoded.slice(0, 2))).toEqual([0xed, 0x01]);
  expect(didFromPublicKey(decoded.slice(2))).toBe(example);
});

test('the key can be decoded from its DID, and every DID starts with z6Mk', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (publicKey) => {
      const did = didFromPublicKey(publicKey);
      expect(did).toMatch(/^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/);
      expect(base58.decode(did.slice('did:key:z'.length)).slice(2)).toEqual(publicKey);
    }),
  );
});

test('a key of the wrong length is rejected', () => {
  for (const length of [0, 31, 33, 64]) {
    expect(() => didFromPublicKey(new Uint8Array(length))).toThrow(RangeError);
  }
});
