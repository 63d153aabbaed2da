/**
 * The edge cases in which Ed25519 verifiers are known to differ ("Taming the many EdDSAs", table 5, in its
 * order and numbering), each with the verdict of a strict reading of RFC 8032 and the rule behind it. The
 * equation holds for every one of them, so that a rejection is due to the rule alone.
 */
import { describe, expect, test } from 'bun:test';
import { parsePublicKey } from '#domain/agents/keys/public-key.ts';
import { verifySignature } from '#domain/agents/keys/signature.ts';
import {
  type CraftedSignature,
  craftSignature,
  type CraftingTerms,
  encodeUnreduced,
  equationsThatHold,
  FIELD_PRIME,
  GROUP_ORDER,
  knownSmallOrderEncodings,
  toLittleEndian,
} from './edwards-points.ts';

const fixedKeyScalar = 0x5eed_0000_1234_5678_9abc_def0_1357_9bdfn;
const fixedNonceScalar = 0x0ddba11_2468_ace0_0246_8ace_1122_3344_5566n;
const oddTorsion = 1;
const evenTorsion = 4;

/** The identity encoded as y = p + 1, which only a lenient decoder accepts. */
const identityUnreduced = encodeUnreduced(FIELD_PRIME + 1n, 0);

interface EdgeCase {
  readonly name: string;
  readonly terms: Omit<CraftingTerms, 'message'>;
  /** The behaviour under other equations that the chosen message must have. */
  readonly cofactorless: boolean;
  readonly also?: (crafted: CraftedSignature) => boolean;
  readonly keyAccepted: boolean;
  readonly verifies: boolean;
  readonly rule: string;
}

const terms = (changes: Partial<EdgeCase['terms']>): EdgeCase['terms'] => ({
  keyScalar: fixedKeyScalar,
  keyTorsion: 0,
  nonceScalar: fixedNonceScalar,
  nonceTorsion: 0,
  hashed: 'sent',
  ...changes,
});

const smallKey = 'a key of small order proves nothing';
const equationKinds = '5.1.7 states the equation with the cofactor; 5.1.3 decodes points of any order';
const rangeKinds = '5.1.7: S must be in the range 0 <= S < L';
const decoding = '5.1.3: y must be below p, and x = 0 carries no sign';

const edgeCases: readonly EdgeCase[] = [
  {
    name: '0: small A, small R, S = 0',
    terms: terms({ keyScalar: 0n, keyTorsion: oddTorsion, nonceScalar: 0n, nonceTorsion: oddTorsion }),
    cofactorless: true,
    keyAccepted: false,
    verifies: false,
    rule: smallKey,
  },
  {
    name: '1: small A, mixed R',
    terms: terms({ keyScalar: 0n, keyTorsion: oddTorsion, nonceTorsion: oddTorsion }),
    cofactorless: true,
    keyAccepted: false,
    verifies: false,
    rule: smallKey,
  },
  {
    name: '2: mixed A, small R',
    terms: terms({ keyTorsion: oddTorsion, nonceScalar: 0n, nonceTorsion: oddTorsion }),
    cofactorless: true,
    keyAccepted: true,
    verifies: true,
    rule: equationKinds,
  },
  {
    name: '3: mixed A, mixed R',
    terms: terms({ keyTorsion: oddTorsion, nonceTorsion: oddTorsion }),
    cofactorless: true,
    keyAccepted: true,
    verifies: true,
    rule: equationKinds,
  },
  {
    name: '4: mixed A, mixed R, holds with the cofactor only',
    terms: terms({ keyTorsion: oddTorsion, nonceTorsion: oddTorsion }),
    cofactorless: false,
    keyAccepted: true,
    verifies: true,
    rule: equationKinds,
  },
  {
    name: '5: mixed A, R of order L, fails where 8k is reduced before it multiplies A',
    terms: terms({ keyTorsion: oddTorsion }),
    cofactorless: false,
    also: ({ hash }) => ((8n * hash) % GROUP_ORDER) % 8n !== 0n,
    keyAccepted: true,
    verifies: true,
    rule: equationKinds,
  },
  {
    name: '6: S + L',
    terms: terms({ extraOrders: 1n }),
    cofactorless: true,
    keyAccepted: true,
    verifies: false,
    rule: rangeKinds,
  },
  {
    name: '7: S + 14 L, too large for its top three bits to be clear',
    terms: terms({ extraOrders: 14n }),
    cofactorless: true,
    also: ({ signature }) => signature[63]! >= 0xe0,
    keyAccepted: true,
    verifies: false,
    rule: rangeKinds,
  },
  {
    name: '8: non-canonical R, reduced before hashing',
    terms: terms({
      keyTorsion: evenTorsion,
      nonceScalar: 0n,
      sentNonce: identityUnreduced,
      hashed: 'canonical',
    }),
    cofactorless: true,
    keyAccepted: true,
    verifies: false,
    rule: decoding,
  },
  {
    name: '9: non-canonical R, hashed as sent',
    terms: terms({ keyTorsion: evenTorsion, nonceScalar: 0n, sentNonce: identityUnreduced }),
    cofactorless: true,
    keyAccepted: true,
    verifies: false,
    rule: decoding,
  },
  {
    name: '10: non-canonical small A, reduced before hashing',
    terms: terms({ keyScalar: 0n, sentKey: identityUnreduced, nonceTorsion: 0, hashed: 'canonical' }),
    cofactorless: true,
    keyAccepted: false,
    verifies: false,
    rule: decoding,
  },
  {
    name: '11: non-canonical small A, hashed as sent',
    terms: terms({ keyScalar: 0n, sentKey: identityUnreduced, nonceTorsion: 0 }),
    cofactorless: true,
    keyAccepted: false,
    verifies: false,
    rule: decoding,
  },
];

/** Tries messages in order until the crafted signature behaves as required under the other equations. */
function craft(edgeCase: EdgeCase): CraftedSignature {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const message = new TextEncoder().encode(`message ${attempt}`);
    const crafted = craftSignature({ ...edgeCase.terms, message });
    if (equationsThatHold(crafted).cofactorless !== edgeCase.cofactorless) continue;
    if (edgeCase.also === undefined || edgeCase.also(crafted)) return crafted;
  }
  throw new Error(`No message found for case ${edgeCase.name}.`);
}

const isAcceptedKey = (key: Uint8Array) => parsePublicKey(Buffer.from(key).toString('base64')) !== null;

describe('the published edge cases get the verdict of strict RFC 8032', () => {
  for (const edgeCase of edgeCases) {
    test(`${edgeCase.name}: ${edgeCase.verifies ? 'verifies' : 'refused'}, ${edgeCase.rule}`, () => {
      const crafted = craft(edgeCase);
      expect(equationsThatHold(crafted)).toEqual({ cofactored: true, cofactorless: edgeCase.cofactorless });
      expect(isAcceptedKey(crafted.key)).toBe(edgeCase.keyAccepted);
      expect(verifySignature(crafted.signature, crafted.message, crafted.key)).toBe(edgeCase.verifies);
    });
  }
});

test('no encoding of a small-order key verifies anything, with any encoding of a small-order R', () => {
  const message = new TextEncoder().encode('any message');
  for (const key of knownSmallOrderEncodings) {
    for (const nonce of knownSmallOrderEncodings) {
      const crafted = craftSignature({
        ...terms({ keyScalar: 0n, keyTorsion: key.torsion, nonceScalar: 0n, nonceTorsion: nonce.torsion }),
        sentKey: key.bytes,
        sentNonce: nonce.bytes,
        message,
      });
      expect(equationsThatHold(crafted).cofactored).toBe(true);
      expect(verifySignature(crafted.signature, message, crafted.key)).toBe(false);
    }
  }
});

test('an R of small order is accepted in its eight canonical encodings and rejected in the six others', () => {
  const message = new TextEncoder().encode('any message');
  for (const { bytes, canonical, torsion } of knownSmallOrderEncodings) {
    const crafted = craftSignature({
      ...terms({ nonceScalar: 0n, nonceTorsion: torsion }),
      sentNonce: bytes,
      message,
    });
    expect(equationsThatHold(crafted).cofactored).toBe(true);
    expect(verifySignature(crafted.signature, message, crafted.key)).toBe(canonical);
  }
});

test('S is accepted below L and rejected with any multiple of L added, so a signature has one form', () => {
  const message = new TextEncoder().encode('any message');
  for (let extraOrders = 0n; extraOrders < 15n; extraOrders += 1n) {
    const crafted = craftSignature({ ...terms({ extraOrders }), message });
    expect(equationsThatHold(crafted).cofactored).toBe(true);
    expect(verifySignature(crafted.signature, message, crafted.key)).toBe(extraOrders === 0n);
  }
});

test('the signature that the runtime accepts for every message is rejected', () => {
  const key = Uint8Array.of(1, ...new Uint8Array(31));
  const signature = Uint8Array.of(1, ...new Uint8Array(63));
  for (const text of ['', 'a', 'any message at all']) {
    expect(verifySignature(signature, new TextEncoder().encode(text), key)).toBe(false);
  }
});

test('no pair of special values for R and S verifies under an honest key', () => {
  const { key } = craft(edgeCases[6]!);
  const values = [
    ...[0n, 1n, 2n].flatMap((offset) => [offset, GROUP_ORDER - offset, GROUP_ORDER + offset]),
    ...[0n, 1n, 2n].flatMap((offset) => [FIELD_PRIME - offset, FIELD_PRIME + offset]),
    2n ** 252n,
    2n ** 253n,
    2n ** 255n - 1n,
    2n ** 255n,
    2n ** 256n - 1n,
  ].map((value) => toLittleEndian(value));
  const accepted: string[] = [];
  for (const nonce of values) {
    for (const scalar of values) {
      const signature = Uint8Array.of(...nonce, ...scalar);
      for (const text of ['', '?', 'any message']) {
        if (verifySignature(signature, new TextEncoder().encode(text), key)) {
          accepted.push(Buffer.from(signature).toString('hex'));
        }
      }
    }
  }
  expect(accepted).toEqual([]);
});
