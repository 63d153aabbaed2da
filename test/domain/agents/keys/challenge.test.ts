import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { type ChallengeTerms, composeChallenge } from '#domain/agents/keys/challenge.ts';

const challengeTerms: ChallengeTerms = {
  purpose: 'register',
  service: 'https://hub.example.org/base',
  handle: 'ada-7',
  publicKey: '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
  nonce: Uint8Array.from({ length: 32 }, (_, i) => i),
  expiresAt: new Date('2031-02-03T04:05:06.007Z'),
};

const visible = fc
  .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 60 })
  .filter((text) => !text.includes(' '));

const anyTerms: fc.Arbitrary<ChallengeTerms> = fc.record({
  purpose: fc.constantFrom('register' as const, 'login' as const),
  service: visible,
  handle: visible,
  publicKey: visible,
  nonce: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  expiresAt: fc.date({ noInvalidDate: true }),
});

/**
 * Parses a challenge as an agent would: fields separated by spaces, each a name, an equals sign and a value.
 */
function parse(challenge: string): ChallengeTerms {
  const [kind, ...fields] = challenge.split(' ');
  const pairs = fields.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]);
  expect(kind).toBe('agent-hub-challenge-v1');
  expect(pairs.map(([name]) => name).join(' ')).toBe('purpose service handle public_key nonce expires_at');
  const [purpose, service, handle, publicKey, nonce, expiresAt] = pairs.map(([, value]) => value!);
  return {
    // Any other value would fail the comparison with what was written.
    purpose: purpose as ChallengeTerms['purpose'],
    service: service!,
    handle: handle!,
    publicKey: publicKey!,
    nonce: new Uint8Array(Buffer.from(nonce!, 'hex')),
    expiresAt: new Date(expiresAt!),
  };
}

test('a challenge states purpose, service, handle, key, nonce and expiry in one readable line', () => {
  expect(composeChallenge(challengeTerms)).toBe(
    'agent-hub-challenge-v1 purpose=register service=https://hub.example.org/base handle=ada-7 ' +
      'public_key=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo= ' +
      'nonce=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f ' +
      'expires_at=2031-02-03T04:05:06.007Z',
  );
});

test('every challenge is a single line of ASCII that parses back to exactly its terms', () => {
  fc.assert(
    fc.property(anyTerms, (terms) => {
      const challenge = composeChallenge(terms);
      expect(challenge).toMatch(/^[\x20-\x7e]+$/);
      expect(parse(challenge)).toEqual(terms);
    }),
    { numRuns: 300 },
  );
});

test('ambiguous terms are rejected', () => {
  for (const text of ['', ' ', 'a b', 'a\nb', 'a\r', 'a\tb', 'a\0', 'é', 'a\u2028b', '\u007f', 'ad\u0430']) {
    for (const name of ['service', 'handle', 'publicKey'] as const) {
      expect(() => composeChallenge({ ...challengeTerms, [name]: text })).toThrow(RangeError);
    }
  }
  for (const length of [0, 31, 33]) {
    expect(() => composeChallenge({ ...challengeTerms, nonce: new Uint8Array(length) })).toThrow(RangeError);
  }
  expect(() => composeChallenge({ ...challengeTerms, expiresAt: new Date(Number.NaN) })).toThrow(RangeError);
});
