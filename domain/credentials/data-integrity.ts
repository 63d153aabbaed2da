/**
 * Data Integrity proofs with the cryptosuite `eddsa-jcs-2022` (W3C, Data Integrity EdDSA Cryptosuites v1.0): Ed25519 over
 * the hashes of the canonical proof options and the canonical document (RFC 8785).
 */
import { createHash } from 'node:crypto';
import { sign } from '@noble/ed25519';
import { base58 } from '@scure/base';
import canonicalize from 'canonicalize';
import { didFromPublicKey } from '../agents/keys/public-key.ts';
import { verifySignature } from '../agents/keys/signature.ts';

export type Json = Readonly<Record<string, unknown>>;

export const cryptosuite = 'eddsa-jcs-2022';

export interface ProofOptions {
  readonly type: 'DataIntegrityProof';
  readonly cryptosuite: typeof cryptosuite;
  readonly created: string;
  readonly verificationMethod: string;
  readonly proofPurpose: 'assertionMethod';
  readonly '@context'?: unknown;
}

/** @param secretKey the 32 bytes of the seed */
export function addProof(
  document: Json,
  { created, verificationMethod }: { readonly created: Date; readonly verificationMethod: string },
  secretKey: Uint8Array,
): Json & { readonly proof: ProofOptions & { readonly proofValue: string } } {
  const options: ProofOptions = {
    ...('@context' in document ? { '@context': document['@context'] } : {}),
    type: 'DataIntegrityProof',
    cryptosuite,
    created: withoutMilliseconds(created),
    verificationMethod,
    proofPurpose: 'assertionMethod',
  };
  const proofValue = multibaseOf(sign(hashesOf(document, options), secretKey));
  return { ...document, proof: { ...options, proofValue } };
}

/** Whether the proof over the rest of the document was made with this key. */
export function isProvenBy(secured: Json, proof: Json, publicKey: Uint8Array): boolean {
  const { proof: _, ...document } = secured;
  const { proofValue, ...options } = proof;
  const signature = typeof proofValue === 'string' ? fromMultibase(proofValue) : null;
  return signature !== null && verifySignature(signature, hashesOf(document, options), publicKey);
}

function hashesOf(document: object, options: object): Uint8Array {
  return new Uint8Array(Buffer.concat([sha256(options), sha256(document)]));
}

function sha256(value: object): Buffer {
  return createHash('sha256').update(canonicalFormOf(value)).digest();
}

/** RFC 8785. */
export function canonicalFormOf(value: object): string {
  return canonicalize(value) ?? '';
}

/** JSON texts can have numbers like `1e999` and halves of surrogate pairs, which have none. */
export function hasCanonicalForm(value: object): boolean {
  try {
    canonicalize(value);
    return true;
  } catch {
    return false;
  }
}

export function hexHashOf(value: object): string {
  return sha256(value).toString('hex');
}

/** XML Schema's `dateTimeStamp`, as the data model of credentials writes times. */
export function withoutMilliseconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

const base58btc = 'z';

export function multibaseOf(bytes: Uint8Array): string {
  return base58btc + base58.encode(bytes);
}

const multibaseMax = 200;

export function fromMultibase(text: string): Uint8Array | null {
  if (!text.startsWith(base58btc) || text.length > multibaseMax) return null;
  try {
    return base58.decode(text.slice(1));
  } catch {
    return null;
  }
}

/** As in `publicKeyMultibase` and in a `did:key`. */
export function multikeyOf(publicKey: Uint8Array): string {
  return didFromPublicKey(publicKey).slice('did:key:'.length);
}

/** @returns null if it is not an Ed25519 key */
export function publicKeyIn(multikey: string): Uint8Array | null {
  const bytes = fromMultibase(multikey);
  const isEd25519 = bytes !== null && bytes.length === 34 && bytes[0] === 0xed && bytes[1] === 0x01;
  return isEd25519 ? bytes.slice(2) : null;
}
