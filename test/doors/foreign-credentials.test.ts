/**
 * Credentials of a hub in the hands of programs that others wrote: the credential library, the cryptosuite and the
 * status lists of Digital Bazaar, which know nothing of the hub but what it publishes. `npm run long -- doors` runs them.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { rotateIssuerKey } from '#domain/credentials/issuer.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { completeRun, createTestRunner, type TestRunner } from '#test/harness/eval-runs.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { installed } from './foreign/packages.ts';

const isAsked = process.env['DOORS'] === 'all';
const yearMs = 365 * 24 * 3_600 * 1_000;
const origin = 'https://hub.example';
const did = 'did:web:hub.example';

// oxlint-disable-next-line typescript/no-explicit-any -- packages are imported without their types
type Untyped = any;

describe.skipIf(!isAsked)('a verifier of others', () => {
  let store: ScratchStore;
  let hub: TestHub;
  let runner: TestRunner;
  let read: (name: string) => Promise<Untyped>;
  beforeAll(async () => {
    store = await openScratchStore('sqlite');
    hub = await startTestHub({ store, rules: { baseUrl: origin } });
    runner = createTestRunner(hub.ctx, hub.redisUrl);
    const own = await installed(
      '@digitalbazaar/vc',
      '7.3.0',
      '@digitalbazaar/data-integrity@2.5.0',
      '@digitalbazaar/eddsa-jcs-2022-cryptosuite@1.0.0',
      '@digitalbazaar/vc-bitstring-status-list@2.0.1',
    );
    read = (name) => import(join(own, '..', name, 'lib', 'index.js'));
  }, 300_000);
  afterAll(async () => {
    runner.close();
    await hub.close();
    await store.remove();
  });

  const published = async (path: string) => {
    const { status, body } = await hub.fetch(path);
    expect([path, status]).toEqual([path, 200]);
    return body;
  };

  /** Verifies a credential as somebody does who gets it by mail. */
  async function verify(credential: Untyped, now = new Date()) {
    const vc = await read('vc');
    const { DataIntegrityProof } = await read('data-integrity');
    const { createVerifyCryptosuite } = await read('eddsa-jcs-2022-cryptosuite');
    const { checkStatus } = await read('vc-bitstring-status-list');
    const suite = new DataIntegrityProof({ cryptosuite: createVerifyCryptosuite() });
    const documentLoader = async (url: string) => {
      const [base = '', part] = url.split('#');
      if (base === did) {
        const all = await published('/.well-known/did.json');
        const methods = all.verificationMethod as { id: string }[];
        const method = methods.find(({ id }) => id === url);
        const context = 'https://w3id.org/security/multikey/v1';
        const document = part === undefined ? all : { '@context': context, ...method };
        return { documentUrl: url, document };
      }
      if (url.startsWith(origin))
        return { documentUrl: url, document: await published(url.slice(origin.length)) };
      return vc.defaultDocumentLoader(url);
    };
    const { verified, error, statusResult } = await vc.verifyCredential({
      credential,
      suite,
      documentLoader,
      checkStatus,
      now,
    });
    const errors: { message: string }[] = error?.errors ?? (error === undefined ? [] : [error]);
    // `verified` says that the list could be read; the entry is in `status`.
    const entries: { status: boolean }[] = statusResult?.results ?? [];
    const revoked = entries.map(({ status }) => status);
    return { verified, said: errors.map(({ message }) => message).join(' '), revoked };
  }

  async function issued(): Promise<{ readonly runId: string; readonly credential: Untyped }> {
    const agent = await createTestAgent(hub.ctx, { tokens: 3 });
    const runId = await completeRun(runner, agent.id, undefined, { ranked: true });
    return { runId, credential: (await published(`/v1/runs/${runId}/credential`)).credential };
  }

  test('verifies a genuine one, also after the key of the hub has changed', async () => {
    const { credential } = await issued();
    expect(await verify(credential, hub.clock.now())).toEqual({ verified: true, said: '', revoked: [false] });
    await rotateIssuerKey(hub.ctx);
    expect(await verify(credential, hub.clock.now())).toMatchObject({ verified: true });
    const { credential: next } = await issued();
    expect(next.proof.verificationMethod).not.toBe(credential.proof.verificationMethod);
    expect(await verify(next, hub.clock.now())).toMatchObject({ verified: true });
  });

  test('refuses a changed byte, another key, a lapsed and a revoked one', async () => {
    const { runId, credential } = await issued();
    const now = hub.clock.now();
    const better = { ...credential.credentialSubject, score: 99.9 };
    expect(await verify({ ...credential, credentialSubject: better }, now)).toMatchObject({
      verified: false,
      said: expect.stringContaining('Invalid signature'),
    });
    await rotateIssuerKey(hub.ctx);
    const other = (await issued()).credential.proof.verificationMethod;
    expect(other).not.toBe(credential.proof.verificationMethod);
    const moved = { ...credential, proof: { ...credential.proof, verificationMethod: other } };
    expect(await verify(moved, now)).toMatchObject({
      verified: false,
      said: expect.stringContaining('Invalid signature'),
    });
    const later = new Date(now.getTime() + yearMs + 3_600_000);
    expect(await verify(credential, later)).toMatchObject({
      verified: false,
      said: expect.stringContaining('is after "validUntil"'),
    });
    const maintainer = await createTestAgent(hub.ctx);
    (hub.ctx.rules.maintainerDids as Set<string>).add(maintainer.did);
    const json = { reason: 'The target copied replies.' };
    await hub.fetch(`/v1/runs/${runId}/strike`, { token: maintainer.bearerToken, json });
    expect(await verify(credential, now)).toMatchObject({ verified: true, revoked: [true] });
  });
});
