/** Genuine and bad credentials, which every verifier must tell apart in the same words. */
import { gzipSync } from 'node:zlib';
import { getPublicKey } from '@noble/ed25519';
import { addProof, type Json, multikeyOf } from '#domain/credentials/data-integrity.ts';
import '#domain/agents/keys/signature.ts';

interface CredentialSample {
  readonly name: string;
  readonly credential: object;
  readonly document: object | null;
  readonly statusList: object | null;
  /** Part of the message; null if it is genuine. */
  readonly problem: string | null;
}

const secretKey = new Uint8Array(32).fill(7);
const otherKey = new Uint8Array(32).fill(8);
const multikey = multikeyOf(getPublicKey(secretKey));
const did = 'did:web:hub.example%3A8443';
const method = `${did}#${multikey}`;
const document = {
  id: did,
  verificationMethod: [{ id: method, type: 'Multikey', controller: did, publicKeyMultibase: multikey }],
  assertionMethod: [method],
};
const listUrl = 'https://hub.example:8443/v1/credentials/status/1';
const listIndex = 94_567;

const claims = (issuer: string, changes: object = {}): Json => ({
  '@context': [
    'https://www.w3.org/ns/credentials/v2',
    'https://www.w3.org/ns/credentials/undefined-terms/v2',
  ],
  type: ['VerifiableCredential', 'EvaluationCredential'],
  issuer,
  validFrom: '2026-01-31T12:00:00Z',
  validUntil: '2126-01-31T12:00:00Z',
  // Numbers and names whose canonical form is easily got wrong.
  credentialSubject: {
    id: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
    score: 87.3,
    interval: { low: 80, high: 100.0 },
    numbers: [0, -1.5, 1e21, 123456789012345680000, 1e-6, 1e-7, 5e-324, 0.1, 1.7976931348623157e308],
    '\u20ac': 'é\u2028"\\/\u0007',
    '\ud83d\ude00': null,
    '\ufb33': true,
  },
  credentialStatus: {
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex: String(listIndex),
    statusListCredential: listUrl,
  },
  ...changes,
});

const created = new Date('2026-02-01T00:00:00Z');
const signed = (unsigned: Json, verificationMethod = method, key = secretKey) =>
  addProof(unsigned, { created, verificationMethod }, key);

function statusList(isRevoked: boolean): Json {
  const bits = new Uint8Array(16_384);
  if (isRevoked) bits[listIndex >> 3] = 0x80 >> (listIndex & 7);
  const encodedList = `u${gzipSync(bits).toString('base64url')}`;
  const subject = { type: 'BitstringStatusList', statusPurpose: 'revocation', encodedList };
  return signed(claims(did, { id: listUrl, credentialSubject: subject }));
}

const genuine = signed(claims(did));
/** As hostile JSON has it where a text is expected. */
const odd = { toString: 1, valueOf: 1 };
const oddPlace = {
  type: 'BitstringStatusListEntry',
  statusPurpose: 'revocation',
  statusListCredential: listUrl,
};
const keyDid = `did:key:${multikey}`;
const keyed = signed(claims(keyDid), `${keyDid}#${multikey}`);
const unlisted = multikeyOf(getPublicKey(otherKey));
const plain = { credential: genuine, document, statusList: null } as const;

/** Signed with null in the place of the number, which `JSON.stringify` also writes for Infinity. */
export const infiniteCredential = {
  document,
  json: JSON.stringify({ ...signed(claims(did, { note: null })), note: 12_345 }).replace('12345', '1e999'),
  problem: 'a number or a character that JSON does not have',
};

export const credentialSamples: readonly CredentialSample[] = [
  { name: 'a genuine one', ...plain, problem: null },
  { name: 'a genuine one that is not on the list', ...plain, statusList: statusList(false), problem: null },
  { name: 'a genuine one of a key', ...plain, credential: keyed, document: null, problem: null },
  {
    name: 'a changed byte',
    ...plain,
    credential: { ...genuine, validFrom: '2026-01-31T12:00:01Z' },
    problem: 'was changed after it was signed',
  },
  {
    name: 'a key that the issuer does not have',
    ...plain,
    credential: signed(claims(did), `${did}#${unlisted}`, otherKey),
    problem: 'made with another key',
  },
  {
    name: 'another key in the name of that of the issuer',
    ...plain,
    credential: signed(claims(did), method, otherKey),
    problem: 'or signed with another key',
  },
  {
    name: 'another issuer',
    ...plain,
    credential: { ...genuine, issuer: 'did:web:good.example' },
    problem: 'not made with a key of the issuer',
  },
  { name: 'a revoked one', ...plain, statusList: statusList(true), problem: 'has revoked' },
  {
    name: 'a lapsed one',
    ...plain,
    credential: signed(claims(did, { validUntil: '2026-02-01T12:00:00Z' })),
    problem: 'lapsed on 2026-02-01T12:00:00',
  },
  {
    name: 'a time after the year 9999',
    ...plain,
    credential: signed(claims(did, { validUntil: '+010000-01-01T00:00:00Z' })),
    problem: 'times of the credential cannot be read',
  },
  {
    name: 'a place on the list that is no number',
    ...plain,
    credential: signed(claims(did, { credentialStatus: { ...oddPlace, statusListIndex: odd } })),
    statusList: statusList(false),
    problem: 'status of the credential cannot be read',
  },
  {
    name: 'a document with a key whose id is no text',
    ...plain,
    document: { ...document, verificationMethod: [{ id: odd }, ...document.verificationMethod] },
    problem: null,
  },
  { name: 'no document', ...plain, document: null, problem: 'document of did:web:hub.example' },
  { name: 'no proof', ...plain, credential: claims(did), problem: 'has no proof' },
];
