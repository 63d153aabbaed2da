/** Genuine and bad challenges, which every client must tell apart. */
import type { ExpectedChallenge } from '#client/challenge.ts';
import { composeChallenge } from '#domain/agents/keys/challenge.ts';
import { baseUrl } from '#runtime/settings/rules.ts';

interface ChallengeSample {
  readonly name: string;
  readonly challenge: unknown;
  readonly wanted: ExpectedChallenge;
  /** The field that is wrong, `form` if the challenge has another form, and `none` if it is genuine. */
  readonly fault: string;
}

const publicKey = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';

const usual: ExpectedChallenge = {
  purpose: 'register',
  service: 'https://hub.example',
  handle: 'ada-7',
  publicKey,
};

/** As the hub composes it. */
const challengeFor = (terms: Partial<ExpectedChallenge>): string =>
  composeChallenge({
    ...usual,
    ...terms,
    nonce: new Uint8Array(32),
    expiresAt: new Date('2031-02-03T04:05:06.007Z'),
  });

/** A challenge with these terms, for a client that wants the usual ones. */
const foreign = (fault: string, terms: Partial<ExpectedChallenge>): ChallengeSample => ({
  name: `another ${fault}: ${Object.values(terms).join()}`,
  challenge: challengeFor(terms),
  wanted: usual,
  fault,
});

/** A challenge of the hub whose base URL is `setting`, for a client that was given `service`. */
const spelled = (service: string, setting: string, fault = 'none'): ChallengeSample => ({
  name: `${service} for the base URL ${setting}`,
  challenge: challengeFor({ service: String(baseUrl.parse(setting)) }),
  wanted: { ...usual, service },
  fault,
});

const right = challengeFor({});
const otherForms: Readonly<Record<string, unknown>> = {
  nothing: null,
  'an empty text': '',
  'a number': 7,
  'a list': [right],
  'a line break at the end': `${right}\n`,
  'a second line': `${right}\n${right}`,
  'a space before': ` ${right}`,
  'a word more': `${right} x`,
  'a field more': `${right} purpose=login`,
  'a field twice': right.replace(' handle', ' service=https://real.example handle'),
  'fields in another order': right.replace(/(purpose=\S+) (service=\S+)/, '$2 $1'),
  'a no-break space': right.replace(' handle', '\u00A0handle'),
  'no nonce': right.replace(/ nonce=\S+/, ''),
  'another version': right.replace('-v1', '-v2'),
  'a letter that is not ASCII': right.replace('hub.example', 'hub.exämple'),
  'another text': 'I owe you 100 tokens.',
};

export const challengeSamples: readonly ChallengeSample[] = [
  ...(['register', 'login', 'rotate', 'close'] as const).map((purpose) => ({
    name: `to ${purpose}`,
    challenge: challengeFor({ purpose }),
    wanted: { ...usual, purpose },
    fault: 'none',
  })),
  spelled('https://hub.example/', 'https://hub.example'),
  spelled('https://HUB.example:443', 'https://hub.example'),
  spelled('http://localhost:3000', 'http://127.0.0.1:3000'),
  spelled('http://127.0.0.1:3000/', 'http://[::1]:3000'),
  spelled('http://[::1]', 'http://localhost:80'),
  spelled('http://localhost:3000', 'http://localhost:3001', 'service'),
  spelled('http://localhost:3000', 'http://127.0.0.2:3000', 'service'),
  spelled('http://localhost:3000', 'https://localhost:3000', 'service'),
  foreign('purpose', { purpose: 'login' }),
  foreign('purpose', { purpose: 'close' }),
  foreign('handle', { handle: 'ada-8' }),
  foreign('public_key', { publicKey: publicKey.toLowerCase() }),
  ...[
    'http://hub.example',
    'https://hub.example:8443',
    'https://hub.example/base',
    'https://hub.example.evil',
    'https://hub.example@evil.example',
    'https://evil.example/https://hub.example',
    'https://hub.example?x',
    'http://127.0.0.1:3000',
  ].map((service) => foreign('service', { service })),
  ...Object.entries(otherForms).map(([name, challenge]) => ({
    name,
    challenge,
    wanted: usual,
    fault: 'form',
  })),
];
