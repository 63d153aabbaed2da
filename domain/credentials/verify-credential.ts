/** Verifies credentials: of this hub against its own keys, of others against their document. */
import type { Ctx } from '../context.ts';
import { fieldOf, listOf } from '../targets/read-json.ts';
import { cryptosuite, hasCanonicalForm, isProvenBy, type Json, publicKeyIn } from './data-integrity.ts';
import { listIssuerKeys, webDidOf } from './issuer.ts';
import { isRevoked, isSetIn } from './status-list.ts';

/** Where documents of other hubs come from. */
export interface IssuerDocuments {
  /** @returns null for a host that the operator has not listed, and if the document cannot be fetched */
  find(did: string): Promise<Json | null>;
  /** A credential at a URL of the issuer's host; null as above. */
  findStatusList(did: string, url: string): Promise<Json | null>;
}

export interface Verification {
  readonly verified: boolean;
  /** Null if the credential names none. */
  readonly issuer: string | null;
  /** What is wrong; of a verified credential, what was not checked. */
  readonly reasons: readonly string[];
}

interface VerifyInput {
  readonly credential: Json;
  /** The issuer's DID document. */
  readonly document?: Json | undefined;
  /** Null if no documents are fetched. */
  readonly documents: IssuerDocuments | null;
}

export async function verifyCredential(ctx: Ctx, input: VerifyInput): Promise<Verification> {
  const { credential } = input;
  const issuer = issuerOf(credential);
  const proofProblem = await findProofProblem(ctx, input, issuer);
  if (proofProblem !== null) return { verified: false, issuer, reasons: [proofProblem] };
  const lapsed = findTimeProblem(credential, ctx.clock.now());
  const status = await readStatus(ctx, input, issuer ?? '');
  const problems = [lapsed, status.problem].filter((one) => one !== null);
  if (problems.length > 0) return { verified: false, issuer, reasons: problems };
  return { verified: true, issuer, reasons: status.unchecked === null ? [] : [status.unchecked] };
}

export function issuerOf({ issuer }: Json): string | null {
  if (typeof issuer === 'string') return issuer;
  const id = fieldOf(issuer, 'id');
  return typeof id === 'string' ? id : null;
}

async function findProofProblem(ctx: Ctx, input: VerifyInput, issuer: string | null): Promise<string | null> {
  const { credential } = input;
  const { proof, type } = credential;
  if (!isObject(proof)) return 'The credential has no proof.';
  if (!hasCanonicalForm(credential))
    return 'The credential has a number or a character that JSON does not have.';
  if (issuer === null) return 'The credential names no issuer.';
  if (![type].flat().includes('VerifiableCredential')) return 'The document is not a verifiable credential.';
  if (proof['type'] !== 'DataIntegrityProof' || proof['cryptosuite'] !== cryptosuite)
    return `The proof is not a \`DataIntegrityProof\` with the cryptosuite \`${cryptosuite}\`.`;
  if (proof['proofPurpose'] !== 'assertionMethod')
    return 'The purpose of the proof is not `assertionMethod`.';
  if ('@context' in proof && !isContextOf(proof, credential))
    return 'The contexts of the proof are not those of the credential.';
  const method = proof['verificationMethod'];
  if (typeof method !== 'string' || !method.startsWith(`${issuer}#`))
    return `The proof was not made with a key of the issuer ${issuer}.`;
  const key = await findKey(ctx, input, issuer, method);
  if (typeof key === 'string') return key;
  return isProvenBy(credential, proof, key)
    ? null
    : 'The signature does not match: the credential was changed after it was signed, or signed with another key.';
}

/** The contexts of a proof must be the first of the document. */
function isContextOf(proof: Json, credential: Json): boolean {
  const [ofProof, ofDocument] = [[proof['@context']].flat(), [credential['@context']].flat()];
  return ofProof.every((context, index) => JSON.stringify(context) === JSON.stringify(ofDocument[index]));
}

/** @returns the key, or why there is none */
async function findKey(
  ctx: Ctx,
  { document, documents }: VerifyInput,
  issuer: string,
  method: string,
): Promise<Uint8Array | string> {
  if (issuer.startsWith('did:key:')) {
    const multikey = issuer.slice('did:key:'.length);
    const key = publicKeyIn(multikey);
    if (key === null) return `The issuer ${issuer} is not an Ed25519 key.`;
    return method === `${issuer}#${multikey}` ? key : 'The proof names a key that is not that of its issuer.';
  }
  if (issuer === webDidOf(ctx)) {
    const own = (await listIssuerKeys(ctx)).find(({ publicKey }) => method === `${issuer}#${publicKey}`);
    return keyOf(own?.publicKey, issuer);
  }
  if (!issuer.startsWith('did:web:'))
    return `The hub cannot verify issuers like ${issuer}, only did:web and did:key.`;
  const given = document ?? (await documents?.find(issuer)) ?? null;
  if (given === null)
    return `The document of ${issuer} is needed: send it as \`document\`. The hub fetches only documents of hosts that its operator has listed.`;
  return keyInDocument(given, issuer, method);
}

function keyInDocument(document: Json, issuer: string, method: string): Uint8Array | string {
  if (document['id'] !== issuer) return `The document is not that of ${issuer}.`;
  const methods = listOf(document['verificationMethod']).filter(isObject);
  const found = methods.find(
    ({ id }) => id === method || (typeof id === 'string' && `${issuer}${id}` === method),
  );
  const isForAssertions = listOf(document['assertionMethod']).some(
    (one) => one === method || fieldOf(one, 'id') === method,
  );
  const multikey = found?.['publicKeyMultibase'];
  return keyOf(isForAssertions && typeof multikey === 'string' ? multikey : undefined, issuer);
}

function keyOf(multikey: string | undefined, issuer: string): Uint8Array | string {
  const key = multikey === undefined ? null : publicKeyIn(multikey);
  return key ?? `The proof was made with another key: ${issuer} has no such key.`;
}

function findTimeProblem({ validFrom, validUntil }: Json, now: Date): string | null {
  const [from, until] = [timeOf(validFrom), timeOf(validUntil)];
  if (from === 'unreadable' || until === 'unreadable') return 'The times of the credential cannot be read.';
  if (from !== null && from > now) return `The credential is not valid before ${from.toISOString()}.`;
  if (until !== null && until <= now) return `The credential lapsed on ${until.toISOString()}.`;
  return null;
}

/** Years with other than four digits are no times of XML Schema, nor of Postgres. */
export function timeOf(given: unknown): Date | 'unreadable' | null {
  if (given === undefined || given === null) return null;
  const time = typeof given === 'string' ? new Date(given) : null;
  const year = time?.getUTCFullYear() ?? Number.NaN;
  return time !== null && year >= 1 && year <= 9_999 ? time : 'unreadable';
}

interface Status {
  readonly problem: string | null;
  readonly unchecked: string | null;
}

const good: Status = { problem: null, unchecked: null };
const revoked: Status = { problem: 'The issuer has revoked the credential.', unchecked: null };

async function readStatus(ctx: Ctx, { credential, documents }: VerifyInput, issuer: string): Promise<Status> {
  const entries = [credential['credentialStatus']].flat().filter(isObject);
  const entry = entries.find(({ statusPurpose }) => statusPurpose === 'revocation');
  if (entry === undefined) return good;
  const url = entry['statusListCredential'];
  const given = entry['statusListIndex'];
  const index = typeof given === 'string' ? Number(given) : given;
  if (typeof url !== 'string' || typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0)
    return { problem: 'The status of the credential cannot be read.', unchecked: null };
  if (await isOwnIssuer(ctx, issuer)) {
    const runId = fieldOf(credential['credentialSubject'], 'run_id');
    return typeof runId === 'string' && (await isRevoked(ctx, runId)) ? revoked : good;
  }
  const unchecked = { problem: null, unchecked: `Whether it was revoked was not checked: see ${url}.` };
  const list = (await documents?.findStatusList(issuer, url)) ?? null;
  if (list === null) return unchecked;
  const proof = await findProofProblem(ctx, { credential: list, documents }, issuerOf(list));
  if (proof !== null || issuerOf(list) !== issuer) return unchecked;
  const isSet = isSetIn(fieldOf(list['credentialSubject'], 'encodedList'), index);
  return isSet === null ? unchecked : isSet ? revoked : good;
}

/** Whether this hub is or was the issuer. */
export async function isOwnIssuer(ctx: Ctx, issuer: string): Promise<boolean> {
  if (issuer === webDidOf(ctx)) return true;
  if (!issuer.startsWith('did:key:')) return false;
  return (await listIssuerKeys(ctx)).some(({ publicKey }) => issuer === `did:key:${publicKey}`);
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
