/** Revocation: Bitstring Status Lists (W3C, v1.0), each itself a signed credential. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { and, eq, gte, isNotNull, lt } from 'drizzle-orm';
import type { Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import { type Json, withoutMilliseconds } from './data-integrity.ts';
import { signCredential } from './issuer.ts';

/** The least that the specification allows, so that a list does not show which credential is looked up. */
export const statusListBits = 131_072;
/** How long a copy of a list may be used. */
const statusListMs = 60 * 60 * 1_000;

/** Where others find what a credential names. */
export interface CredentialUrls {
  credential(runId: string): string;
  statusList(number: number): string;
}

export function statusEntryOf(urls: CredentialUrls, position: number): Json {
  const list = urls.statusList(Math.floor(position / statusListBits) + 1);
  const index = position % statusListBits;
  return {
    id: `${list}#${index}`,
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex: String(index),
    statusListCredential: list,
  };
}

/** @throws DomainError not_found for a list in which no credential has a place */
export async function showStatusList(
  ctx: Ctx,
  { number, urls }: { readonly number: number; readonly urls: CredentialUrls },
): Promise<Json> {
  const { runCredentials } = ctx.db.tables;
  const first = (number - 1) * statusListBits;
  const isListed = and(
    gte(runCredentials.position, first),
    lt(runCredentials.position, first + statusListBits),
  );
  const [any] = await ctx.db.query
    .select({ position: runCredentials.position })
    .from(runCredentials)
    .where(isListed)
    .limit(1);
  if (any === undefined && number !== 1) {
    throw new DomainError('not_found', `There is no status list ${number}.`, {
      hint: 'Use `credentialStatus.statusListCredential` of a credential of this hub.',
    });
  }
  const revoked = await ctx.db.query
    .select({ position: runCredentials.position })
    .from(runCredentials)
    .where(and(isListed, isNotNull(runCredentials.revokedAt)));
  const bits = new Uint8Array(statusListBits / 8);
  for (const { position } of revoked) {
    const index = position - first;
    bits[index >> 3] = (bits[index >> 3] ?? 0) | (0x80 >> (index & 7));
  }
  const url = urls.statusList(number);
  const now = ctx.clock.now();
  return signCredential(ctx, (issuer) => ({
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    id: url,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer,
    validFrom: withoutMilliseconds(now),
    validUntil: withoutMilliseconds(new Date(now.getTime() + statusListMs)),
    credentialSubject: {
      id: `${url}#list`,
      type: 'BitstringStatusList',
      statusPurpose: 'revocation',
      encodedList: `u${Buffer.from(gzipSync(bits)).toString('base64url')}`,
    },
  }));
}

/** Of an encoded list that somebody else made. */
const listBytesMax = 4 * 1024 * 1024;

/** @returns null if the list cannot be read, or has no such place */
export function isSetIn(encodedList: unknown, index: number): boolean | null {
  if (typeof encodedList !== 'string' || !encodedList.startsWith('u')) return null;
  try {
    const bits = gunzipSync(Buffer.from(encodedList.slice(1), 'base64url'), {
      maxOutputLength: listBytesMax,
    });
    const byte = bits[index >> 3];
    return byte === undefined ? null : (byte & (0x80 >> (index & 7))) !== 0;
  } catch {
    return null;
  }
}

/** Whether the hub has revoked the credential of a run. */
export async function isRevoked({ db }: Ctx, runId: string): Promise<boolean> {
  const { runCredentials } = db.tables;
  const [row] = await db.query.select().from(runCredentials).where(eq(runCredentials.runId, runId));
  return row !== undefined && row.revokedAt !== null;
}
