import { describe, expect, test } from 'bun:test';
import { ChallengeError, checkChallenge, type ExpectedChallenge } from '#client/challenge.ts';
import { composeChallenge } from '#domain/agents/keys/challenge.ts';
import { baseUrl } from '#runtime/settings/rules.ts';

const publicKey = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';
const expected: ExpectedChallenge = {
  purpose: 'register',
  service: 'https://hub.example',
  handle: 'ada-7',
  publicKey,
};

/** As the hub composes it. */
const challengeFor = (terms: ExpectedChallenge): string =>
  composeChallenge({ ...terms, nonce: new Uint8Array(32), expiresAt: new Date('2031-02-03T04:05:06.007Z') });

/** @returns the field that the error names; undefined if the challenge is accepted */
function faultOf(challenge: unknown, wanted = expected): string | null | undefined {
  try {
    checkChallenge(challenge, wanted);
    return undefined;
  } catch (error) {
    if (error instanceof ChallengeError) return error.field;
    throw error;
  }
}

describe('a client accepts a challenge', () => {
  test.each(['register', 'login', 'rotate', 'close'] as const)('to %s, as the hub composes it', (purpose) => {
    expect(faultOf(challengeFor({ ...expected, purpose }), { ...expected, purpose })).toBeUndefined();
  });

  test.each([
    ['https://hub.example/', 'https://hub.example'],
    ['https://HUB.example:443', 'https://hub.example'],
    ['https://hub.example/base/', 'https://hub.example/base'],
    ['http://localhost:3000', 'http://127.0.0.1:3000'],
    ['http://127.0.0.1:3000/', 'http://[::1]:3000'],
    ['http://[::1]', 'http://localhost:80'],
  ])('of the hub at %s with the base URL %s', (service, setting) => {
    const challenge = challengeFor({ ...expected, service: String(baseUrl.parse(setting)) });
    expect(faultOf(challenge, { ...expected, service })).toBeUndefined();
  });
});

describe('a client refuses a challenge', () => {
  test.each([
    [{ purpose: 'login' as const }, 'purpose'],
    [{ purpose: 'close' as const }, 'purpose'],
    [{ handle: 'ada-8' }, 'handle'],
    [{ publicKey: publicKey.toLowerCase() }, 'public_key'],
    [{ service: 'http://hub.example' }, 'service'],
    [{ service: 'https://hub.example:8443' }, 'service'],
    [{ service: 'https://hub.example/base' }, 'service'],
    [{ service: 'https://hub.example.evil' }, 'service'],
    [{ service: 'https://hub.example@evil.example' }, 'service'],
    [{ service: 'https://evil.example/https://hub.example' }, 'service'],
    [{ service: 'https://hub.example?x' }, 'service'],
    [{ service: 'http://127.0.0.1:3000' }, 'service'],
  ])('for %o, and names the field', (terms, field) => {
    expect(faultOf(challengeFor({ ...expected, ...terms }))).toBe(field);
  });

  test('of another port or name on this machine', () => {
    const local = { ...expected, service: 'http://localhost:3000' };
    for (const service of ['http://localhost:3001', 'http://127.0.0.2:3000', 'https://localhost:3000']) {
      expect([service, faultOf(challengeFor({ ...expected, service }), local)]).toEqual([service, 'service']);
    }
  });

  const right = challengeFor(expected);
  test.each([
    ['nothing', undefined],
    ['no text', { toString: () => right }],
    ['a line break at the end', `${right}\n`],
    ['a second line', `${right}\n${right}`],
    ['a field more', `${right} purpose=login`],
    ['a field twice', right.replace(' handle', ' service=https://real.example handle')],
    ['fields in another order', right.replace(/(purpose=\S+) (service=\S+)/, '$2 $1')],
    ['no nonce', right.replace(/ nonce=\S+/, '')],
    ['another version', right.replace('-v1', '-v2')],
    ['a letter that is not ASCII', right.replace('hub.example', 'hub.exämple')],
    ['another text', 'I owe you 100 tokens.'],
  ])('with %s, and does not name a field', (_, challenge) => {
    expect(faultOf(challenge)).toBeNull();
  });
});
