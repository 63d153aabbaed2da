/**
 * The handles of closed accounts and the keys that they had replaced, which nobody can register again. Only hashes are
 * kept.
 */
import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';

/** Stands for every closed account. */
export const closedHandle = 'closed-agent';

/** Takes the place of the `did` of a closed account. */
export function closedDid(handle: string): string {
  return retired('handle', handle);
}

/** Takes the place of a key that a closed account had replaced. */
export function closedKey(publicKey: string): string {
  return retired('key', publicKey);
}

function retired(kind: 'handle' | 'key', text: string): string {
  return `closed:${createHash('sha256').update(`agent-hub ${kind} ${text}`).digest('hex')}`;
}

export async function isRetiredHandle({ query, tables }: Database, handle: string): Promise<boolean> {
  return (await query.$count(tables.agents, eq(tables.agents.did, closedDid(handle)))) > 0;
}
