/** The client, the command line and the hub tell the same credentials apart. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CredentialError, verifyCredential } from '#client/verify-credential.ts';
import { type Json } from '#domain/credentials/data-integrity.ts';
import { verifyCredential as verifyAtHub } from '#domain/credentials/verify-credential.ts';
import { challengeSamples } from '#test/harness/challenge-samples.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { credentialSamples, infiniteCredential } from '#test/harness/credential-samples.ts';
import { runHubCommand } from '#test/harness/hub-command.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { ChallengeError, checkChallenge } from '#client/challenge.ts';
import { Hub } from '#client/hub.ts';

/** `1e999`, which JSON.parse reads as Infinity, where null was signed. */
const infinite = {
  ...infiniteCredential,
  name: 'an infinite number',
  credential: JSON.parse(infiniteCredential.json),
  statusList: null,
};

test.each([...credentialSamples, infinite].map((sample) => [sample.name, sample] as const))(
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

test('the hub says the same about them', async () => {
  await using store = await openScratchStore('sqlite');
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
});

const folder = useTestFolder();

test('`hub verify` reads files, and exits with 1 for one that is not genuine', async () => {
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

test.each(challengeSamples.map((sample) => [sample.name, sample] as const))(
  'the client accepts only the challenge that it asked for, and names the wrong field: %s',
  (_name, { challenge, wanted, fault }) => {
    const faultOf = (): string | null => {
      try {
        checkChallenge(challenge, wanted);
        return 'none';
      } catch (error) {
        expect(error).toBeInstanceOf(ChallengeError);
        return (error as ChallengeError).field;
      }
    };
    expect(faultOf()).toBe(fault === 'form' ? null : fault);
  },
);

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
