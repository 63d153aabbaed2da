/** Proofs with `eddsa-jcs-2022`: the vectors of the specification, and a second implementation. */
import { expect, test } from 'bun:test';
import {
  addProof,
  fromMultibase,
  isProvenBy,
  type Json,
  multikeyOf,
  publicKeyIn,
} from '#domain/credentials/data-integrity.ts';
import { isProvenBySecond } from '#test/harness/second-verifier.ts';

/** From the test vectors of the W3C, Data Integrity EdDSA Cryptosuites v1.0, appendix B. */
const vector = {
  publicKeyMultibase: 'z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2',
  privateKeyMultibase: 'z3u2en7t5LR2WtQH5PfFqMqwVHBeXouLzo6haApm8XHqvjxq',
  document: {
    '@context': ['https://www.w3.org/ns/credentials/v2', 'https://www.w3.org/ns/credentials/examples/v2'],
    id: 'urn:uuid:58172aac-d8ba-11ed-83dd-0b3aef56cc33',
    type: ['VerifiableCredential', 'AlumniCredential'],
    name: 'Alumni Credential',
    description: 'A minimum viable example of an Alumni Credential.',
    issuer: 'https://vc.example/issuers/5678',
    validFrom: '2023-01-01T00:00:00Z',
    credentialSubject: { id: 'did:example:abcdefgh', alumniOf: 'The School of Examples' },
  },
  created: '2023-02-24T23:36:38Z',
  verificationMethod: 'https://vc.example/issuers/5678#z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2',
  proofValue: 'z63t83Y53KfzJ5ZosfKTnqfMcKB2dmTrfjSaQjeNNjAD5srBowQfmWqeRb8rRjmeEuCBEsddF9LsVogtuTsijJKh4',
};

const { document } = vector;
/** Without the two bytes of its multicodec. */
const secretKey = fromMultibase(vector.privateKeyMultibase)!.slice(2);
const publicKey = publicKeyIn(vector.publicKeyMultibase)!;
const about = { created: new Date(vector.created), verificationMethod: vector.verificationMethod };

test('signing the document of the specification makes its proof value', () => {
  expect(multikeyOf(publicKey)).toBe(vector.publicKeyMultibase);
  const { proof } = addProof(document, about, secretKey);
  expect(proof).toEqual({
    '@context': document['@context'],
    type: 'DataIntegrityProof',
    cryptosuite: 'eddsa-jcs-2022',
    created: vector.created,
    verificationMethod: vector.verificationMethod,
    proofPurpose: 'assertionMethod',
    proofValue: vector.proofValue,
  });
});

test('a changed byte anywhere, another key and a broken proof value do not verify', () => {
  const secured: Json = addProof(document, about, secretKey);
  const proof = secured['proof'] as Json;
  expect(isProvenBy(secured, proof, publicKey)).toBe(true);
  expect(isProvenBy({ ...secured, name: 'Alumni credential' }, proof, publicKey)).toBe(false);
  expect(isProvenBy(secured, { ...proof, created: '2023-02-24T23:36:39Z' }, publicKey)).toBe(false);
  const other = publicKeyIn('z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK')!;
  expect(isProvenBy(secured, proof, other)).toBe(false);
  const [cut, long] = [vector.proofValue.slice(0, -1), 'z'.repeat(5_000)];
  for (const proofValue of [undefined, '', 'z', 'zO0', 'u', cut, long])
    expect(isProvenBy(secured, { ...proof, proofValue }, publicKey)).toBe(false);
});

test('a second implementation verifies what the hub signs, with numbers and texts of every kind', async () => {
  const numbers = { score: 87.3, big: 1e21, small: 1e-7 };
  const odd = { ...numbers, none: null, ключ: 'é\u2028"\\', list: [1, { b: 2, a: 1 }] };
  const secured: Json = addProof({ ...document, credentialSubject: odd }, about, secretKey);
  const [controller = ''] = vector.verificationMethod.split('#');
  const { publicKeyMultibase } = vector;
  const method = { id: vector.verificationMethod, controller, publicKeyMultibase };
  expect(await isProvenBySecond(secured, method)).toBe(true);
  expect(await isProvenBySecond({ ...secured, validFrom: '2024-01-01T00:00:00Z' }, method)).toBe(false);
});
