/** Forged signatures never verify and never open a running hub's challenge; the right one still does. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { verifySignature } from '#domain/agents/keys/signature.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { GROUP_ORDER } from './edwards-points.ts';
import { forgeSignatures, openKey, signWith } from './forged-signatures.ts';

/** The number of Ed25519 vectors in Project Wycheproof. */
const vectorsMin = 151;
const scalars = [1n, 2n, 8n, GROUP_ORDER - 1n, 0x5eed_1234_5678_9abc_def0_1357_9bdf_0246n];

let store: ScratchStore;
let hub: TestHub;
beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store });
});
afterAll(async () => {
  await hub.close();
  await store.remove();
});

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

test('the right signature verifies for keys of every size and messages of every length', () => {
  for (const scalar of scalars) {
    const key = openKey(scalar);
    for (const length of [0, 1, 2, 31, 32, 63, 64, 65, 111, 112, 127, 128, 129, 1_023]) {
      const message = Buffer.alloc(length, 'message');
      for (const nonce of [1n, 2n, GROUP_ORDER - 1n, 2n ** 251n + 17n]) {
        expect(verifySignature(signWith(key, message, { nonce }), message, key.publicKey)).toBe(true);
      }
    }
  }
});

test('no forged signature verifies', () => {
  const message = Buffer.from('any message');
  const accepted: unknown[] = [];
  for (const scalar of scalars) {
    const key = openKey(scalar);
    // For scalars this small, some forgeries are valid signatures of the same key.
    const right = base64(signWith(key, message));
    for (const { rule, signature } of forgeSignatures(key, message)) {
      if (base64(signature) === right) continue;
      if (verifySignature(signature, message, key.publicKey))
        accepted.push([scalar, rule, base64(signature)]);
    }
  }
  expect(accepted).toEqual([]);
});

test('no forged or re-encoded signature opens a challenge of the hub', async () => {
  const key = openKey(scalars.at(-1)!);
  const send = (signature: string) =>
    hub.fetch('/v1/agents/verify', { json: { handle: 'forger', signature } });
  const opened = await hub.fetch('/v1/agents/register', {
    json: { handle: 'forger', agent_type: 'other', public_key: base64(key.publicKey) },
  });
  const message = Buffer.from(opened.body.challenge);
  const forged = forgeSignatures(key, message);
  const rules = Map.groupBy(forged, ({ rule }) => rule);
  console.log(
    `${forged.length} forged signatures:`,
    Object.fromEntries([...rules].map(([rule, { length }]) => [rule, length])),
  );
  expect(forged.length).toBeGreaterThanOrEqual(vectorsMin);
  for (const { rule, signature } of forged) {
    const { status, body } = await send(base64(signature));
    expect([rule, status, body.error]).toEqual([rule, 401, 'invalid_signature']);
  }
  const right = signWith(key, message);
  const text = base64(right);
  const spellings = [
    text.replaceAll('=', ''),
    text.slice(0, -1),
    `${text}=`,
    ` ${text}`,
    `${text}\n`,
    `${text.slice(0, 44)}\n${text.slice(44)}`,
    `${text.slice(0, 85)}${String.fromCodePoint(text.codePointAt(85)! + 1)}==`,
    Buffer.from(right).toString('hex'),
    `0x${Buffer.from(right).toString('hex')}`,
    `-${text.slice(1)}`,
    ...[0, 1, 32, 63, 65, 96, 128].map((length) => base64(Buffer.concat([right, right]).subarray(0, length))),
    base64(Uint8Array.of(...right, 0)),
    base64(Uint8Array.of(0, ...right)),
  ];
  for (const spelling of spellings) {
    const { status, body } = await send(spelling);
    expect([spelling, status]).toEqual([spelling, 400]);
    expect(['invalid_signature_encoding', 'invalid_body']).toContain(body.error);
  }
  expect(await send(text)).toMatchObject({ status: 200, body: { agent: { handle: 'forger' } } });
});
