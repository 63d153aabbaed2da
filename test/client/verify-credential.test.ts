/** The client, the command line and the hub tell the same credentials apart. */
import { expect, test, describe } from 'bun:test';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CredentialError, verifyCredential } from '#client/verify-credential.ts';
import { type Json } from '#domain/credentials/data-integrity.ts';
import { verifyCredential as verifyAtHub } from '#domain/credentials/verify-credential.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { credentialSamples, infiniteCredential } from '#test/harness/credential-samples.ts';
import { runHubCommand } from '#test/harness/hub-command.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { ChallengeError, checkChallenge, type ExpectedChallenge } from '#client/challenge.ts';
import { composeChallenge } from '#domain/agents/keys/challenge.ts';
import { baseUrl } from '#runtime/settings/rules.ts';
import { Hub } from '#client/hub.ts';

test.each(credentialSamples.map((sample) => [sample.name, sample] as const))(
  'the client: %s',
  async (_name, { credential, document, statusList, problem }) => {
    const options = statusList === null ? {} : { statusList };
    const verifying = verifyCredential(credential, document ?? undefined, options);
    if (problem === null) {
      expect(await verifying).toEqual({ verified: true, issuer: (credential as { issuer: string }).issuer });
      return;
    }
    const error: unknown = await verifying.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CredentialError);
    expect(String(error)).toContain(problem);
  },
);

test('the client refuses a number that is none in the place of null', async () => {
  const { json, document, problem } = infiniteCredential;
  const error: unknown = await verifyCredential(JSON.parse(json), document).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(CredentialError);
  expect(String(error)).toContain(problem);
});

test('the hub says the same about them', async () => {
  const store = await openScratchStore('sqlite');
  const ctx = { ...createTestCtx(store.db), clock: { now: () => new Date() } };
  for (const { name, credential, document, statusList, problem } of credentialSamples) {
    const documents = {
      find: () => Promise.resolve(document as Json | null),
      findStatusList: () => Promise.resolve(statusList as Json | null),
    };
    const input = { credential: credential as Json, documents };
    const { verified, reasons } = await verifyAtHub(ctx, input);
    expect([name, verified]).toEqual([name, problem === null]);
    if (problem !== null) expect(reasons.join(' ')).toContain(problem);
  }
  await store.remove();
});

test('`hub verify` reads files, and exits with 1 for one that is not genuine', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-hub-verify-'));
  const write = (name: string, value: unknown) => {
    writeFileSync(join(folder, name), JSON.stringify(value));
    return join(folder, name);
  };
  const [genuine] = credentialSamples;
  const revoked = credentialSamples.find(({ name }) => name === 'a revoked one')!;
  const file = write('response.json', { credential: genuine!.credential });
  const document = write('did.json', genuine!.document);
  const good = await runHubCommand(['verify', file, '--document', document]);
  expect([good.exitCode, good.printed]).toEqual([0, expect.stringContaining('did:web:hub.example')]);
  const status = write('list.json', revoked.statusList);
  const bad = await runHubCommand(['verify', file, '--document', document, '--status', status, '--json']);
  expect([bad.exitCode, JSON.parse(bad.printed)]).toEqual([
    1,
    { verified: false, issuer: null, reasons: ['The issuer has revoked the credential.'] },
  ]);
});

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

test.each(['get_agent', 'toString'])(
  'a call of an unknown operation (%s) says where the names are',
  async (name) => {
    const hub = new Hub('http://127.0.0.1:9/');
    // A program without types can pass any name.
    const call = hub.call(name as 'logIn', { handle: 'ada-7' });
    await expect(call).rejects.toThrow(
      `There is no operation \`${name}\`. http://127.0.0.1:9/openapi-agents.json names them all.`,
    );
  },
);
