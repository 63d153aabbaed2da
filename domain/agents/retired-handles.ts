/** The handles of closed accounts, which nobody can register again. Only their hashes are kept. */
import { createHash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { TransactionCtx } from '../context.ts';

/** Stands for every closed account. */
export const closedHandle = 'closed-agent';

export async function isRetiredHandle(db: Database, handle: string): Promise<boolean> {
  const { retiredHandles } = db.tables;
  return (await db.query.$count(retiredHandles, eq(retiredHandles.handleHash, hashHandle(handle)))) > 0;
}

export async function retireHandle({ db, clock }: TransactionCtx, handle: string): Promise<void> {
  const row = { handleHash: hashHandle(handle), retiredAt: clock.now() };
  await db.query.insert(db.tables.retiredHandles).values(row).onConflictDoNothing();
}

function hashHandle(handle: string): string {
  return createHash('sha256').update(`agent-hub handle ${handle}`).digest('hex');
}
