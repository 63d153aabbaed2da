/** The clients, the command line and the hub tell the same credentials and challenges apart. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyCredential } from '#client/verify-credential.ts';
import { type Json } from '#domain/credentials/data-integrity.ts';
import { verifyCredential as verifyAtHub } from '#domain/credentials/verify-credential.ts';
import { askPython } from '#test/harness/ask-python.ts';
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

const issuerOf = (credential: object) => (credential as { readonly issuer: string }).issuer;
const samples = [...credentialSamples, infinite];
/** What a client says about each of them. */
const verdicts = samples.map(({ name, credential, problem }) => [
  name,
  problem === null
    ? { verified: true, issuer: issuerOf(credential) }
    : expect.stringMatching(new RegExp(`^CredentialError: .*${RegExp.escape(problem)}`)),
]);

test('the client tells genuine credentials from bad ones', async () => {
  const said = samples.map(async ({ name, credential, document, statusList }) => {
    const options = statusList === null ? {} : { statusList };
    const verifying = verifyCredential(credential, document ?? undefined, options);
    return [name, await verifying.catch((error: unknown) => String(error))];
  });
  expect(await Promise.all(said)).toEqual(verdicts);
});

test('so does the client in Python', () => {
  const program = `from agent_hub_client import CredentialError, verify_credential
def verdict(sample):
    try: return verify_credential(sample["credential"], sample["document"], status_list=sample["statusList"])
    except CredentialError as error: return f"CredentialError: {error}"
samples = [*given["samples"], {**given["samples"][0], "name": "an infinite number", "credential": json.loads(given["infinite"])}]
print(json.dumps([[sample["name"], verdict(sample)] for sample in samples]))`;
  const given = { samples: credentialSamples, infinite: infiniteCredential.json };
  expect(askPython(program, given)).toEqual(verdicts);
});

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

test('both clients accept only the challenge that they asked for, and name the wrong field', () => {
  const faultOf = ({ challenge, wanted }: (typeof challengeSamples)[number]): string => {
    try {
      checkChallenge(challenge, wanted);
      return 'none';
    } catch (error) {
      if (!(error instanceof ChallengeError)) throw error;
      return error.field ?? 'form';
    }
  };
  const faults = challengeSamples.map(({ name, fault }) => [name, fault]);
  expect(challengeSamples.map((sample) => [sample.name, faultOf(sample)])).toEqual(faults);
  const given = challengeSamples.map(({ wanted: { publicKey: public_key, ...wanted }, ...sample }) => ({
    ...sample,
    wanted: { ...wanted, public_key },
  }));
  const program = `from agent_hub_client import ChallengeError, check_challenge
def fault(sample):
    try: check_challenge(sample["challenge"], **sample["wanted"])
    except ChallengeError as error: return error.field or "form"
    return "none"
print(json.dumps([[sample["name"], fault(sample)] for sample in given]))`;
  expect(askPython(program, given)).toEqual(faults);
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
