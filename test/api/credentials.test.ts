/**
 * Credentials of runs: who gets one, what it says, what is wrong with a bad one in words, strikes, and hubs that verify
 * those of others.
 */
import { afterAll, expect, test } from 'bun:test';
import { rotateIssuerKey } from '#domain/credentials/issuer.ts';
import { isSetIn } from '#domain/credentials/status-list.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import { createId } from '#runtime/create-id.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { makeTestAuthority } from '#test/harness/certificates.ts';
import { createTestClock } from '#test/harness/clock.ts';
import { completeRun, createTestRunner, plainRunSize, useTestRunner } from '#test/harness/eval-runs.ts';
import { useEventHub } from '#test/harness/event-hub.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { type TestHub, useTestHub } from '#test/harness/hub.ts';
import { changeRows, rowOf } from '#test/harness/rows.ts';

const yearMs = 365 * 24 * 3_600 * 1_000;
const authority = makeTestAuthority();

/** Whether the status list cannot be loaded. */
let isListAway = false;
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  tls: authority.issue('IP:127.0.0.1'),
  fetch: async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.includes('/status/') && isListAway) return new Response(null, { status: 503 });
    const { status, text } = await issuing.fetch(pathname);
    return new Response(text, { status, headers: { 'content-type': 'application/json' } });
  },
});
afterAll(() => server.stop(true));
const host = `127.0.0.1:${server.port}`;
const did = `did:web:127.0.0.1%3A${server.port}`;

const clock = createTestClock();
/** With its credentials at `https://127.0.0.1:PORT`. */
const { hub: issuing, maintainer } = useEventHub({ clock, rules: { baseUrl: `https://${host}` } });
/** Trusts that host. */
const trusting = useTestHub({ clock, tlsAuthorities: [authority.cert], trustedIssuers: ['127.0.0.1'] });
const identity = { name: 'Local', description: '', rulesUrl: null, isPrivate: true };
/** Trusts nobody, and is private. */
const local = useTestHub({ clock, rules: { identity, baseUrl: 'http://127.0.0.1:1' } });
const runner = useTestRunner(() => createTestRunner(issuing.ctx, issuing.redisUrl));

const credentialOf = (runId: string, token?: string) =>
  issuing.fetch(`/v1/runs/${runId}/credential`, { token });
/** A run of a new agent, with its credential. */
async function issue() {
  const agent = await createTestAgent(issuing.ctx);
  const runId = await completeRun(runner, agent.id);
  return { agent, runId, credential: (await credentialOf(runId, agent.bearerToken)).body.credential };
}
const saying = (words: string) => ({ verified: false, reasons: [expect.stringContaining(words)] });
const verifyAt = async (hub: TestHub, credential: unknown, document?: unknown) =>
  (await hub.fetch('/v1/credentials/verify', { json: { credential, ...(document ? { document } : {}) } }))
    .body;

test('a completed run has a credential for its owner, and for anybody once it is shared', async () => {
  const { agent, runId, credential } = await issue();
  const { bearerToken: token } = agent;
  const { eval_job: job } = (await issuing.fetch(`/v1/eval-jobs/${runId}`, { token })).body;
  const seconds = (instant: string) => `${instant.slice(0, 19)}Z`;
  const { name, version } = job.suite;
  expect(credential).toMatchObject({
    '@context': expect.arrayContaining(['https://www.w3.org/ns/credentials/v2']),
    type: ['VerifiableCredential', 'EvaluationCredential'],
    issuer: did,
    validFrom: seconds(job.finished_at),
    credentialSubject: {
      id: agent.did,
      run_id: runId,
      product: 'eval-run',
      suite: { name, version, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      score: job.score,
      interval: job.interval,
      items: plainRunSize,
      started_at: seconds(job.started_at),
      finished_at: seconds(job.finished_at),
      ranked: false,
    },
    credentialStatus: {
      type: 'BitstringStatusListEntry',
      statusPurpose: 'revocation',
      statusListCredential: `https://${host}/v1/credentials/status/1`,
    },
    proof: { type: 'DataIntegrityProof', cryptosuite: 'eddsa-jcs-2022', proofPurpose: 'assertionMethod' },
  });
  expect(await verifyAt(issuing, credential)).toEqual({ verified: true, issuer: did, reasons: [] });
  const other = await createTestAgent(issuing.ctx);
  for (const stranger of [undefined, other.bearerToken])
    expectError(await credentialOf(runId, stranger), 404, 'run_not_found');
  await issuing.fetch(`/v1/runs/${runId}/share`, { method: 'POST', token });
  for (const path of [`/v1/runs/${runId}/credential`, '/v1/credentials/status/1']) {
    const found = await issuing.fetch(path);
    const headers = { 'if-none-match': found.headers.get('etag') ?? '' };
    expect([path, found.status, (await issuing.fetch(path, { headers })).status]).toEqual([path, 200, 304]);
  }
  expect((await credentialOf(runId, other.bearerToken)).status).toBe(200);
});

test('a changed byte, another key, a lapsed and a foreign credential are told apart in words', async () => {
  const { agent, runId, credential } = await issue();
  const { body: document } = await issuing.fetch('/.well-known/did.json');
  const at = (changed: object, given: unknown = document) =>
    verifyAt(local, { ...credential, ...changed }, given);
  const proofWith = (changes: object) => ({ proof: { ...credential.proof, ...changes } });

  expect(await at({})).toEqual({ ...saying('was not checked'), verified: true, issuer: did });
  const better = { ...credential.credentialSubject, score: 99.9 };
  const otherKey = `${did}#z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK`;
  const ofOtherMethod = { issuer: 'did:ion:x', ...proofWith({ verificationMethod: 'did:ion:x#1' }) };
  const wrong: [object, unknown, string][] = [
    [{ credentialSubject: better }, document, 'was changed after it was signed'],
    [proofWith({ verificationMethod: otherKey }), document, 'another key'],
    [{ issuer: 'did:web:good.example' }, document, 'not made with a key of the issuer'],
    [{}, { ...document, id: 'did:web:good.example' }, 'not that of'],
    [{}, { ...document, assertionMethod: [] }, 'another key'],
    [{}, null, 'send it as `document`'],
    [{ proof: undefined }, document, 'no proof'],
    [proofWith({ cryptosuite: 'ecdsa-2019' }), document, 'cryptosuite'],
    [ofOtherMethod, document, 'only did:web and did:key'],
  ];
  for (const [changed, given, words] of wrong) expect(await at(changed, given)).toMatchObject(saying(words));
  // No program can sign `1e999`, so nobody has.
  const infinite = JSON.stringify({ credential: { ...credential, note: 12_345 } }).replace('12345', '1e999');
  const body = { method: 'POST', body: infinite, headers: { 'content-type': 'application/json' } };
  const unsigned = saying('a number or a character that JSON does not have');
  expect((await local.fetch('/v1/credentials/verify', body)).body).toMatchObject(unsigned);
  clock.advance(yearMs + 1_000);
  expect(await at({})).toMatchObject(saying('lapsed on'));
  const { credential: fresh } = (await credentialOf(runId, agent.bearerToken)).body;
  expect(await at(fresh)).toMatchObject({ verified: true });
});

test('a hub verifies credentials of hosts that its operator has listed, and finds out that they were revoked', async () => {
  const agent = await createTestAgent(issuing.ctx, { tokens: 3 });
  const runId = await completeRun(runner, agent.id, undefined, { ranked: true });
  const { credential } = (await credentialOf(runId)).body;
  expect(await verifyAt(trusting, credential)).toEqual({ verified: true, issuer: did, reasons: [] });

  const board = async () => (await issuing.fetch('/v1/leaderboard?product=eval-run')).text;
  expect(await board()).toContain(agent.handle);
  const { bearerToken: token } = maintainer;
  const strike = (by: string) =>
    issuing.fetch(`/v1/runs/${runId}/strike`, { token: by, json: { reason: 'The target copied replies.' } });
  expectError(await strike(agent.bearerToken), 403, 'maintainer_only');
  const struck = await strike(token);
  expect(struck.body.run).toMatchObject({ id: runId, struck_at: expect.any(String), target_url: null });
  expect((await strike(token)).body.run.struck_at).toBe(struck.body.run.struck_at);

  expect(await board()).not.toContain(agent.handle);
  expectError(await credentialOf(runId, agent.bearerToken), 409, 'conflict');
  const { notifications } = (await issuing.fetch('/v1/notifications', { token: agent.bearerToken })).body;
  expect(notifications.at(-1)).toMatchObject({
    kind: 'run.struck',
    data: { run_id: runId, product: 'eval-run', reason: 'The target copied replies.' },
  });
  const log = (await issuing.fetch('/v1/moderation/log', { token })).body.entries;
  expect(log.filter(({ act }: { act: string }) => act === 'strike')).toHaveLength(1);
  const revoked = { verified: false, issuer: did, reasons: ['The issuer has revoked the credential.'] };
  expect(await verifyAt(issuing, credential)).toEqual(revoked);
  // The hub keeps a list for five minutes.
  clock.advance(6 * 60 * 1_000);
  expect(await verifyAt(trusting, credential)).toEqual(revoked);
  const { body: list } = await issuing.fetch('/v1/credentials/status/1');
  expect(await verifyAt(issuing, list)).toMatchObject({ verified: true });
  const { encodedList } = list.credentialSubject;
  const index = Number(credential.credentialStatus.statusListIndex);
  expect([isSetIn(encodedList, index), isSetIn(encodedList, index + 1)]).toEqual([true, false]);
  expectError(await issuing.fetch('/v1/credentials/status/2'), 404, 'not_found');

  // Also if nobody has fetched the credential: somebody may be fetching it now.
  const unfetched = await completeRun(runner, agent.id, undefined, { ranked: true });
  await issuing.fetch(`/v1/runs/${unfetched}/strike`, { token, json: { reason: 'As above.' } });
  const kept = await rowOf(issuing, 'runCredentials', { runId: unfetched });
  expect(kept.revokedAt).toBeInstanceOf(Date);
  expect((await auditHub(issuing.ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
});

test('a rotated key signs new credentials, and the old one stays in the document', async () => {
  const { agent, runId, credential: old } = await issue();
  const key = await rotateIssuerKey(issuing.ctx);
  const { credential } = (await credentialOf(runId, agent.bearerToken)).body;
  expect(credential.proof.verificationMethod).toBe(`${did}#${key}`);
  expect(old.proof.verificationMethod).not.toBe(credential.proof.verificationMethod);
  const { body: document } = await issuing.fetch('/.well-known/did.json');
  expect(document.id).toBe(did);
  expect(document.assertionMethod).toEqual([old, credential].map(({ proof }) => proof.verificationMethod));
  for (const one of [old, credential]) {
    expect(await verifyAt(issuing, one)).toMatchObject({ verified: true });
    expect(await verifyAt(local, one, document)).toMatchObject({ verified: true });
  }
});

test('a private hub is its key, which anybody can verify without a document', async () => {
  const agent = await createTestAgent(local.ctx);
  using localRunner = createTestRunner(local.ctx, local.redisUrl);
  const runId = await completeRun(localRunner, agent.id);
  const { bearerToken: token } = agent;
  const { credential } = (await local.fetch(`/v1/runs/${runId}/credential`, { token })).body;
  const { issuer } = credential;
  expect(issuer).toMatch(/^did:key:z6Mk/);
  expect(await verifyAt(local, credential)).toEqual({ verified: true, issuer, reasons: [] });
  expect(await verifyAt(trusting, credential)).toMatchObject({ verified: true });
  expectError(await local.fetch('/.well-known/did.json'), 404, 'not_found');
  await rotateIssuerKey(local.ctx);
  expect(await verifyAt(local, credential)).toMatchObject({ verified: true, reasons: [] });
});

test('a listed host is asked only for documents that its DIDs name', async () => {
  const asked: string[] = [];
  const spy = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: authority.issue('IP:127.0.0.1'),
    fetch: (request) => {
      asked.push(new URL(request.url).pathname);
      return Response.json({});
    },
  });
  const at = `127.0.0.1%3A${spy.port}`;
  const signed = {
    type: 'DataIntegrityProof',
    cryptosuite: 'eddsa-jcs-2022',
    proofPurpose: 'assertionMethod',
  };
  for (const path of [`${at}/v1/suites?`, `bank.example@${at}`, `${at}:..:v1`, `${at}:%2e%2e:v1`, `${at}#`]) {
    const issuer = `did:web:${path}`;
    const proof = { ...signed, verificationMethod: `${issuer}#z` };
    const told = await verifyAt(trusting, { type: 'VerifiableCredential', issuer, proof });
    expect(told).toMatchObject(saying('is needed'));
  }
  expect(asked).toEqual([]);
  await spy.stop(true);
});

test('an agent shows a credential of another hub on its profile, never one of somebody else', async () => {
  const { agent: away, credential } = await issue();
  // The key has changed since the other hub loaded the document, which it keeps for five minutes.
  clock.advance(6 * 60 * 1_000);
  const home = await createTestAgent(trusting.ctx, { handle: 'home' });
  const { bearerToken: token } = home;
  const add = (hub: TestHub, given: object, by = token) =>
    hub.fetch('/v1/agents/me/credentials', { token: by, json: { credential: given } });
  const refused = await add(trusting, credential);
  expectError(refused, 400, 'invalid_body');
  expect(refused.body.message).toContain('not your present or a former `did`');

  // The agent has the same key at both hubs.
  await changeRows(trusting, 'agents', { id: home.id }, { formerDids: [away.did] });
  clock.advance(6 * 60 * 1_000);
  isListAway = true;
  const unchecked = await add(trusting, credential);
  expect(unchecked.body.message).toContain('Whether it was revoked was not checked');
  isListAway = false;
  const added = await add(trusting, credential);
  const { score } = credential.credentialSubject;
  const shownAs = { issuer: did, host, product: 'eval-run', score, lapsed: false };
  expect([added.status, added.body.credential]).toMatchObject([201, shownAs]);
  expect((await add(trusting, credential)).status).toBe(200);
  const shown = await trusting.fetch('/v1/agents/home/credentials');
  expect(shown.body.credentials).toEqual([added.body.credential]);
  const page = await trusting.fetch('/agents/home', { headers: { accept: 'text/html' } });
  expect(page.text).toContain(host);

  const { agentCredentials } = trusting.db.tables;
  const row = await rowOf(trusting, 'agentCredentials', { agentId: home.id });
  // Ten others.
  await changeRows(trusting, 'agentCredentials', { id: row.id }, { hash: 'other' });
  const others = Array.from({ length: 9 }, (_, n) => ({
    ...row,
    id: createId(clock.now()),
    hash: `other-${n}`,
  }));
  await trusting.db.transaction(({ query }) => query.insert(agentCredentials).values(others));
  expectError(await add(trusting, credential), 409, 'limit_reached');

  const changed = { ...credential, credentialSubject: { ...credential.credentialSubject, score: 100.5 } };
  expectError(await add(trusting, changed), 400, 'invalid_body');
  const { bearerToken: there } = await createTestAgent(local.ctx);
  // A private hub that trusts nobody does not believe a host that it cannot ask.
  const unlisted = await add(local, credential, there);
  expect(unlisted.body.message).toContain('hosts that its operator has listed');
  const own = await add(issuing, credential, away.bearerToken);
  expect(own.body.message).toContain('of this hub');
  const { id } = added.body.credential;
  const remove = () => trusting.fetch(`/v1/agents/me/credentials/${id}`, { method: 'DELETE', token });
  expect((await remove()).status).toBe(204);
  expectError(await trusting.fetch('/v1/agents/nobody-here/credentials'), 404, 'unknown_handle');
});
