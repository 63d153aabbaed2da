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

/** Signed with null in the place of the number, which `JSON.stringify` also writes for Infinity. */
export const infiniteCredential = {
  document,
  json: JSON.stringify({ ...signed(claims(did, { note: null })), note: 12_345 }).replace('12345', '1e999'),
  problem: 'a number or a character that JSON does not have',
};

/** The genuine credential with these changes. */
const sample = (
  name: string,
  problem: string | null,
  changes: Partial<CredentialSample> = {},
): CredentialSample => ({ name, credential: genuine, document, statusList: null, problem, ...changes });

export const credentialSamples: readonly CredentialSample[] = [
  sample('a genuine one', null),
  sample('a genuine one that is not on the list', null, { statusList: statusList(false) }),
  sample('a genuine one of a key', null, { credential: keyed, document: null }),
  sample('a changed byte', 'was changed after it was signed', {
    credential: { ...genuine, validFrom: '2026-01-31T12:00:01Z' },
  }),
  sample('a key that the issuer does not have', 'made with another key', {
    credential: signed(claims(did), `${did}#${unlisted}`, otherKey),
  }),
  sample('another key in the name of that of the issuer', 'or signed with another key', {
    credential: signed(claims(did), method, otherKey),
  }),
  sample('another issuer', 'not made with a key of the issuer', {
    credential: { ...genuine, issuer: 'did:web:good.example' },
  }),
  sample('a revoked one', 'has revoked', { statusList: statusList(true) }),
  sample('a lapsed one', 'lapsed on 2026-02-01T12:00:00', {
    credential: signed(claims(did, { validUntil: '2026-02-01T12:00:00Z' })),
  }),
  sample('a time after the year 9999', 'times of the credential cannot be read', {
    credential: signed(claims(did, { validUntil: '+010000-01-01T00:00:00Z' })),
  }),
  sample('a place on the list that is no number', 'status of the credential cannot be read', {
    credential: signed(claims(did, { credentialStatus: { ...oddPlace, statusListIndex: odd } })),
    statusList: statusList(false),
  }),
  sample('a document with a key whose id is no text', null, {
    document: { ...document, verificationMethod: [{ id: odd }, ...document.verificationMethod] },
  }),
  sample('no document', 'document of did:web:hub.example', { document: null }),
  sample('no proof', 'has no proof', { credential: claims(did) }),
];
