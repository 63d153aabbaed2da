/**
 * Verifies credentials of hubs offline: W3C Verifiable Credentials 2.0 with a Data Integrity proof of the cryptosuite
 * `eddsa-jcs-2022`. Nothing is fetched.
 */

type Json = Readonly<Record<string, unknown>>;

export interface VerifiedCredential {
  readonly verified: true;
  readonly issuer: string;
}

export interface VerifyCredentialOptions {
  /** The credential at `credentialStatus.statusListCredential`, to find out whether this one was revoked. */
  readonly statusList?: object;
  /** The time at which the credential must be valid; now by default. */
  readonly now?: Date;
}

/** Says why a credential is not genuine or no longer valid. */
export class CredentialError extends Error {
  override readonly name = 'CredentialError';
}

/**
 * @param credential as the hub returned it
 * @param document the DID document of the issuer, from `/.well-known/did.json`; a `did:key` needs none
 * @throws CredentialError that says what is wrong
 */
export async function verifyCredential(
  credential: object,
  document?: object,
  { statusList, now = new Date() }: VerifyCredentialOptions = {},
): Promise<VerifiedCredential> {
  const issuer = await verifyProof(credential as Json, document as Json | undefined);
  checkTime(credential as Json, now);
  if (statusList !== undefined) {
    const list = statusList as Json;
    if ((await verifyProof(list, document as Json | undefined)) !== issuer)
      throw new CredentialError('The status list is of another issuer.');
    checkTime(list, now);
    await checkStatus(credential as Json, list);
  }
  return { verified: true, issuer };
}

/** @returns the issuer */
async function verifyProof(credential: Json, document: Json | undefined): Promise<string> {
  const { proof: given, ...unsecured } = credential;
  const proof = given as Json | undefined;
  const named = credential['issuer'];
  const issuer = typeof named === 'string' ? named : fieldOf(named, 'id');
  if (typeof proof !== 'object' || proof === null) throw new CredentialError('The credential has no proof.');
  if (typeof issuer !== 'string') throw new CredentialError('The credential names no issuer.');
  const { proofValue, ...options } = proof;
  if (options['type'] !== 'DataIntegrityProof' || options['cryptosuite'] !== 'eddsa-jcs-2022')
    throw new CredentialError(
      'The proof is not a `DataIntegrityProof` with the cryptosuite `eddsa-jcs-2022`.',
    );
  if (options['proofPurpose'] !== 'assertionMethod')
    throw new CredentialError('The purpose of the proof is not `assertionMethod`.');
  checkContexts(options['@context'], credential['@context']);
  const method = options['verificationMethod'];
  if (typeof method !== 'string' || !method.startsWith(`${issuer}#`))
    throw new CredentialError(`The proof was not made with a key of the issuer ${issuer}.`);
  const publicKey = await crypto.subtle.importKey('raw', keyOf(issuer, method, document), 'Ed25519', false, [
    'verify',
  ]);
  const hashes = await Promise.all([options, unsecured].map(hashOf));
  const signed = new Uint8Array(hashes.flatMap((hash) => [...hash]));
  const signature = typeof proofValue === 'string' ? fromMultibase(proofValue) : new Uint8Array();
  if (!(await crypto.subtle.verify('Ed25519', publicKey, signature, signed))) {
    throw new CredentialError(
      'The signature does not match: the credential was changed after it was signed, or signed with another key.',
    );
  }
  return issuer;
}

/** The contexts of a proof must be the first of the credential. */
function checkContexts(ofProof: unknown, ofCredential: unknown): void {
  if (ofProof === undefined) return;
  const all = [ofCredential].flat();
  const isFirst = [ofProof].flat().every((one, index) => JSON.stringify(one) === JSON.stringify(all[index]));
  if (!isFirst) throw new CredentialError('The contexts of the proof are not those of the credential.');
}

function keyOf(issuer: string, method: string, document: Json | undefined): Uint8Array<ArrayBuffer> {
  if (issuer.startsWith('did:key:')) {
    const multikey = issuer.slice('did:key:'.length);
    if (method !== `${issuer}#${multikey}`)
      throw new CredentialError('The proof names a key that is not that of its issuer.');
    return readMultikey(multikey);
  }
  if (document === undefined)
    throw new CredentialError(`The DID document of ${issuer} is needed: see its /.well-known/did.json.`);
  if (document['id'] !== issuer) throw new CredentialError(`The document is not that of ${issuer}.`);
  const methods = listOf(document['verificationMethod']);
  const found = methods.find((one) => fieldOf(one, 'id') === method);
  const isForAssertions = listOf(document['assertionMethod']).includes(method);
  const multikey = fieldOf(found, 'publicKeyMultibase');
  if (typeof multikey !== 'string' || !isForAssertions)
    throw new CredentialError(`The proof was made with another key: ${issuer} has no such key.`);
  return readMultikey(multikey);
}

/** Of an Ed25519 key: its multicodec `0xed 0x01`, then 32 bytes. */
function readMultikey(multikey: string): Uint8Array<ArrayBuffer> {
  const bytes = fromMultibase(multikey);
  if (bytes.length !== 34 || bytes[0] !== 0xed || bytes[1] !== 0x01)
    throw new CredentialError('The key of the issuer is not an Ed25519 key.');
  return bytes.slice(2);
}

function checkTime({ validFrom, validUntil }: Json, now: Date): void {
  const [from, until] = [timeOf(validFrom), timeOf(validUntil)];
  if (from !== null && from > now)
    throw new CredentialError(`The credential is not valid before ${from.toISOString()}.`);
  if (until !== null && until <= now)
    throw new CredentialError(`The credential lapsed on ${until.toISOString()}.`);
}

function timeOf(given: unknown): Date | null {
  if (given === undefined || given === null) return null;
  const time = new Date(typeof given === 'string' ? given : Number.NaN);
  const year = time.getUTCFullYear();
  if (!(year >= 1 && year <= 9_999)) throw new CredentialError('The times of the credential cannot be read.');
  return time;
}

async function checkStatus(credential: Json, list: Json): Promise<void> {
  const entries = [credential['credentialStatus']].flat();
  const entry = entries.find((one) => fieldOf(one, 'statusPurpose') === 'revocation');
  if (entry === undefined) return;
  if (fieldOf(entry, 'statusListCredential') !== list['id'])
    throw new CredentialError('The credential names another status list.');
  const encoded = fieldOf(list['credentialSubject'], 'encodedList');
  const place = fieldOf(entry, 'statusListIndex');
  if (typeof encoded !== 'string' || (typeof place !== 'string' && typeof place !== 'number'))
    throw new CredentialError('The status of the credential cannot be read.');
  const zipped = Uint8Array.from(atob(encoded.slice(1).replaceAll('-', '+').replaceAll('_', '/')), (one) =>
    one.charCodeAt(0),
  );
  const unzipped = new Blob([zipped]).stream().pipeThrough(new DecompressionStream('gzip'));
  const bits = new Uint8Array(await new Response(unzipped).arrayBuffer());
  const index = Number(place);
  const byte = bits[Math.floor(index / 8)];
  if (byte === undefined) throw new CredentialError('The status list has no such place.');
  if ((byte & (0x80 >> (index % 8))) !== 0)
    throw new CredentialError('The issuer has revoked the credential.');
}

async function hashOf(value: object): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(canonicalFormOf(value));
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

/** RFC 8785: names in the order of their UTF-16 code units; numbers and texts as JavaScript writes them. */
function canonicalFormOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalFormOf).join(',')}]`;
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new CredentialError('The credential has a number or a character that JSON does not have.');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalFormOf(field)}`).join(',')}}`;
}

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const multibaseMax = 200;

/** Base58 with the prefix `z`. @throws CredentialError for anything else */
function fromMultibase(text: string): Uint8Array<ArrayBuffer> {
  if (!text.startsWith('z') || text.length > multibaseMax)
    throw new CredentialError('A value of the proof is not in base58.');
  const bytes: number[] = [];
  for (const sign of text.slice(1)) {
    let carry = base58.indexOf(sign);
    if (carry === -1) throw new CredentialError('A value of the proof is not in base58.');
    for (let index = 0; index < bytes.length; index += 1) {
      carry += (bytes[index] ?? 0) * 58;
      bytes[index] = carry & 0xff;
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff);
  }
  const zeros = /^1*/.exec(text.slice(1))?.[0].length ?? 0;
  return new Uint8Array([...Array.from({ length: zeros }, () => 0), ...bytes.toReversed()]);
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Json)[name] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
