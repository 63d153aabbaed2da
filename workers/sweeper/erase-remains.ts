/**
 * Erases what closed accounts have left outside of rows, when their handles are replaced in all tables: mails in files,
 * what the store keeps of deleted rows, and the file of the hub's own Redis. Several sweepers may run it at the same
 * time, and another one continues if one dies.
 */
import {
  endRenaming,
  findPendingRenames,
  forgetHandle,
  type PendingRename,
  recordRenamedFiles,
} from '#domain/account/end-renaming.ts';
import type { Ctx } from '#domain/context.ts';
import { Setbacks } from '#domain/setbacks.ts';
import { eraseDeleted } from '#db/erase-deleted.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { renameInMailFiles } from '../mail/rename-in-mail-files.ts';

export interface EraserDeps {
  readonly ctx: Ctx;
  readonly mailFolder: string;
  /** Null if the operator runs the Redis: how it stores its data is not the hub's business. */
  readonly privateRedis: Redis | null;
  readonly logger: Logger;
}

/** Rewriting a file slows others down, so accounts that are closed within this time share it. */
const pauseMs = 3_000;
/** After this time, the sweeper that began with an account counts as dead. */
const adoptAfterMs = 3_000;

/** @returns the work of one round, which returns 0 when nothing is left to do now */
export function createEraser({ ctx, mailFolder, privateRedis, logger }: EraserDeps): () => Promise<number> {
  /** What accounts have left, by agent. Only here, because no row keeps a handle. */
  const known = new Map<string, readonly string[]>();
  /** When this sweeper first saw an account that another one has begun with. */
  const seenAt = new Map<string, number>();
  let erasedAt = -Infinity;
  const setbacks = new Setbacks(ctx.clock);

  async function renameInFiles(pending: PendingRename): Promise<number> {
    const { agentId, handle, texts } = pending;
    const files = { folder: mailFolder, after: pending.after?.[0] ?? null };
    const last = await renameInMailFiles(files, handle);
    if (last !== null) {
      await recordRenamedFiles(ctx, { agentId, last });
      return 1;
    }
    if (await forgetHandle(ctx, agentId)) known.set(agentId, [handle, ...texts.map(([from]) => from)]);
    return 0;
  }

  async function renameFilesOfNext(): Promise<number> {
    const pending = await findPendingRenames(ctx, 'files', setbacks.leftOut());
    const rows = pending.map((one) => ({ id: one.agentId, one }));
    let renamed = 0;
    await setbacks.forEach('closed accounts could not be renamed in files', rows, async ({ one }) => {
      if (renamed === 0) renamed = await renameInFiles(one);
    });
    return renamed;
  }

  function isOurs({ agentId }: PendingRename): boolean {
    if (known.has(agentId)) return true;
    const now = performance.now();
    const since = seenAt.get(agentId) ?? now;
    seenAt.set(agentId, since);
    return now - since >= adoptAfterMs;
  }

  async function erasePages(): Promise<void> {
    const waiting = await findPendingRenames(ctx, 'pages');
    for (const map of [known, seenAt])
      for (const agentId of map.keys())
        if (waiting.every((one) => one.agentId !== agentId)) map.delete(agentId);
    const ours = waiting.filter(isOurs).map(({ agentId }) => agentId);
    if (ours.length === 0 || performance.now() - erasedAt < pauseMs) return;
    const texts = ours.every((id) => known.has(id)) ? ours.flatMap((id) => known.get(id) ?? []) : null;
    const outcome = await eraseDeleted(ctx.db, texts);
    if (outcome === 'busy') return;
    erasedAt = performance.now();
    if (outcome === 'partly')
      logger.warn('the store may keep deleted data of closed accounts until it is vacuumed');
    if (privateRedis !== null) await rewriteAppendOnlyFile(privateRedis);
    await endRenaming(ctx, ours);
  }

  return async () => {
    let renamed = 0;
    try {
      renamed = await renameFilesOfNext();
    } finally {
      // Files that cannot be renamed hold up no other account.
      if (renamed === 0) await erasePages();
    }
    return renamed;
  };
}

const rewriteTimeoutMs = 5_000;
const lookEveryMs = 50;

/** Redis appends every command to its file, and keeps those of deleted keys until it rewrites the file. */
async function rewriteAppendOnlyFile(redis: Redis): Promise<void> {
  await redis.bgrewriteaof();
  const giveUpAt = performance.now() + rewriteTimeoutMs;
  while (performance.now() < giveUpAt) {
    await Bun.sleep(lookEveryMs);
    const info = await redis.info('persistence');
    if (info.includes('aof_rewrite_in_progress:0') && info.includes('aof_rewrite_scheduled:0')) return;
  }
}
