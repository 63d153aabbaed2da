/**
 * The hub as the issuer of credentials: its identifier, its keys and its document. The keys are derived from SECRET_KEY,
 * so they are wherever that is; their public halves stay in the store, so that old credentials can be verified after the
 * key has changed.
 */
import { createHmac } from 'node:crypto';
import { getPublicKey } from '@noble/ed25519';
import { asc } from 'drizzle-orm';
import type { Tables } from '#db/schema/make-schema.ts';
import type { Ctx } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { withTransaction } from '../context.ts';
import { addProof, type Json, multikeyOf } from './data-integrity.ts';

type IssuerKeyRow = Tables['issuerKeys']['$inferSelect'];

export interface Issuer {
  readonly did: string;
  /** Names the key of new credentials. */
  readonly verificationMethod: string;
  /** The seed of that key. */
  readonly secretKey: Uint8Array;
}

/** The key with the newest generation that this SECRET_KEY makes. A new SECRET_KEY begins a new generation. */
export async function openIssuer(ctx: Ctx): Promise<Issuer> {
  const known = await findOwnKey(ctx, await listIssuerKeys(ctx));
  if (known !== null) return known;
  await addKey(ctx);
  const added = await findOwnKey(ctx, await listIssuerKeys(ctx));
  invariant(added !== null, 'A key of the issuer has been added.');
  return added;
}

/** From now on, credentials are signed with a new key. Older ones stay valid. @returns the new key */
export async function rotateIssuerKey(ctx: Ctx): Promise<string> {
  await openIssuer(ctx);
  return addKey(ctx);
}

export async function listIssuerKeys({ db }: Ctx): Promise<readonly IssuerKeyRow[]> {
  const { issuerKeys } = db.tables;
  return db.query.select().from(issuerKeys).orderBy(asc(issuerKeys.generation));
}

/** On a public hub with https, `did:web`; otherwise the key itself. */
export function didOfKey(ctx: Ctx, publicKey: string): string {
  return webDidOf(ctx) ?? `did:key:${publicKey}`;
}

/** @returns null if nobody could fetch the hub's document */
export function webDidOf({ rules }: Ctx): string | null {
  if (rules.identity.isPrivate || !rules.baseUrl.startsWith('https://')) return null;
  return `did:web:${new URL(rules.baseUrl).host.replace(':', '%3A')}`;
}

/** The hub's DID document, with the keys of all generations. @throws DomainError not_found on hubs without one */
export async function showIssuerDocument(ctx: Ctx): Promise<Json> {
  const { did: own } = await openIssuer(ctx);
  const did = webDidOf(ctx);
  if (did === null) {
    throw new DomainError('not_found', 'This hub is private, so it has no DID document.', {
      hint: `Its credentials name their key themselves, as the issuer \`${own}\`.`,
    });
  }
  const keys = await listIssuerKeys(ctx);
  const methods = keys.map(({ publicKey }) => ({
    id: `${did}#${publicKey}`,
    type: 'Multikey',
    controller: did,
    publicKeyMultibase: publicKey,
  }));
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
    id: did,
    verificationMethod: methods,
    assertionMethod: methods.map(({ id }) => id),
  };
}

/** Signs a credential whose `issuer` is the hub. */
export async function signCredential(ctx: Ctx, credential: (issuer: string) => Json): Promise<Json> {
  const { did, verificationMethod, secretKey } = await openIssuer(ctx);
  return addProof(credential(did), { created: ctx.clock.now(), verificationMethod }, secretKey);
}

async function findOwnKey(ctx: Ctx, keys: readonly IssuerKeyRow[]): Promise<Issuer | null> {
  for (const { generation, publicKey } of keys.toReversed()) {
    const secretKey = seedOf(ctx, generation);
    if (multikeyOf(getPublicKey(secretKey)) !== publicKey) continue;
    const did = didOfKey(ctx, publicKey);
    return { did, verificationMethod: `${did}#${publicKey}`, secretKey };
  }
  return null;
}

/** Of two processes that add the same generation, one finds that it exists. */
async function addKey(ctx: Ctx): Promise<string> {
  return withTransaction(ctx, async (inner) => {
    const { issuerKeys } = inner.db.tables;
    const generation = ((await listIssuerKeys(inner)).at(-1)?.generation ?? 0) + 1;
    const publicKey = multikeyOf(getPublicKey(seedOf(inner, generation)));
    await inner.db.query
      .insert(issuerKeys)
      .values({ generation, publicKey, createdAt: inner.clock.now() })
      .onConflictDoNothing();
    return publicKey;
  });
}

/** The label separates this from other keys derived from SECRET_KEY. */
function seedOf({ rules: { secretKey } }: Ctx, generation: number): Uint8Array {
  invariant(secretKey !== null, 'Programs that issue credentials have the SECRET_KEY.');
  const label = `issuer of credentials ${generation}`;
  return new Uint8Array(createHmac('sha256', secretKey).update(label).digest());
}
