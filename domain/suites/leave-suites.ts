/** What becomes of an agent's suites when it closes its account. */
import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { saveSearchWords } from '#db/search.ts';
import type { TransactionCtx } from '../context.ts';
import { eraseSuites } from './suite-rows.ts';

/**
 * Suites that nobody else ran are deleted. Others stay for the runs of others: retired, and without their owner's name.
 */
export async function leaveSuites(ctx: TransactionCtx, agentId: string): Promise<void> {
  const { db } = ctx;
  const { suites, suiteAgents } = db.tables;
  await db.query.delete(suiteAgents).where(eq(suiteAgents.agentId, agentId));
  const isOwn = eq(suites.ownerId, agentId);
  const select = () =>
    db.query.select({ id: suites.id, name: suites.name, retiredAt: suites.retiredAt }).from(suites);
  const unused = await select().where(and(isOwn, isNull(suites.ranByOthersAt)));
  await eraseSuites(
    ctx,
    unused.map(({ id }) => id),
  );
  const used = await select().where(and(isOwn, isNotNull(suites.ranByOthersAt)));
  const ids = used.map(({ id }) => id);
  const { suiteDrafts, suiteTags, suiteVersions } = db.tables;
  for (const table of [suiteAgents, suiteDrafts, suiteTags])
    await db.query.delete(table).where(inList(db, table.suiteId, ids));
  for (const { id, name, retiredAt } of used) {
    await db.query
      .update(suites)
      .set({
        // All closed accounts share one handle, under which names stay unique.
        name: `${name.slice(0, 51)}-${id.slice(-12)}`,
        retiredAt: retiredAt ?? ctx.clock.now(),
      })
      .where(eq(suites.id, id));
    await saveSearchWords(db, 'suites', id, []);
  }
  await db.query
    .update(suiteVersions)
    .set({ judges: [] })
    .where(inList(db, suiteVersions.suiteId, ids));
}
