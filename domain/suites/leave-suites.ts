/** What becomes of an agent's suites when it closes its account. */
import { and, asc, eq, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { inList } from '#db/conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { deleteSearchWords } from '#db/search.ts';
import { lockReferencedRows } from '#db/transaction.ts';
import type { TransactionCtx } from '../context.ts';
import { eachPage, type ErasingStep, type ErasingSteps } from '../erasing/erasures.ts';
import { eraseSuites } from './suite-rows.ts';

/**
 * All suites are retired, and lose their owner's name. Those that others ran stay for these runs; {@link suiteSteps}
 * deletes the rest.
 */
export async function leaveSuites({ db, clock }: TransactionCtx, agentId: string): Promise<void> {
  const { suites, suiteAgents, suiteTags } = db.tables;
  const isNamed = eq(suiteAgents.agentId, agentId);
  const naming = db.query.select({ id: suiteAgents.suiteId }).from(suiteAgents).where(isNamed);
  // Agents that name each other may leave at once.
  await lockReferencedRows(
    db,
    db.query
      .select({ id: suites.id })
      .from(suites)
      .where(or(eq(suites.ownerId, agentId), inArray(suites.id, naming)))
      .orderBy(asc(suites.id)),
  );
  await db.query.delete(suiteAgents).where(isNamed);
  // Another suite may have the name that one gets below. No suite can have one with a space.
  await db.query
    .update(suites)
    .set({ name: sql`' ' || ${suites.name}` })
    .where(eq(suites.ownerId, agentId));
  const own = await db.query
    .update(suites)
    .set({
      // All closed accounts share one handle, under which names stay unique.
      name: sql`substr(${suites.name}, 2, 51) || '-' || substr(cast(${suites.id} as text), 25)`,
      retiredAt: sql`coalesce(${suites.retiredAt}, ${sql.param(clock.now(), suites.retiredAt)})`,
    })
    .where(eq(suites.ownerId, agentId))
    .returning({ id: suites.id });
  const ids = own.map(({ id }) => id);
  for (const table of [suiteAgents, suiteTags])
    await db.query.delete(table).where(inList(db, table.suiteId, ids));
  await deleteSearchWords(db, 'suites', ids);
}

type OfSuite = PgTable & { readonly id: PgColumn; readonly suiteId: PgColumn };

/** Rows that belong to the agent's suites, some of megabytes. */
function besideSuites(
  of: (tables: Tables) => OfSuite,
  which: (suites: Tables['suites']) => SQL | undefined,
  erase: (ctx: TransactionCtx, ids: readonly string[]) => Promise<unknown>,
): ErasingStep {
  return eachPage(
    (tables, agentId) => {
      const { suites } = tables;
      const table = of(tables);
      const own = and(eq(suites.ownerId, agentId), which(suites));
      return {
        table,
        id: table.id,
        where: sql`${table.suiteId} in (select ${suites.id} from ${suites} where ${own})`,
      };
    },
    (ctx, _, ids) => erase(ctx, ids),
  );
}

const deleteFrom =
  (of: (tables: Tables) => OfSuite) =>
  ({ db }: TransactionCtx, ids: readonly string[]) => {
    const table = of(db.tables);
    return db.query.delete(table).where(inList(db, table.id, ids));
  };

const drafts = ({ suiteDrafts }: Tables): OfSuite => suiteDrafts;
const images = ({ suiteImages }: Tables): OfSuite => suiteImages;
const versions = ({ suiteVersions }: Tables): OfSuite => suiteVersions;
const ofAll = (): undefined => undefined;
const ofUnused = ({ ranByOthersAt }: Tables['suites']): SQL => isNull(ranByOthersAt);
const ofUsed = ({ ranByOthersAt }: Tables['suites']): SQL => isNotNull(ranByOthersAt);

export const suiteSteps: ErasingSteps = {
  drafts: besideSuites(drafts, ofAll, deleteFrom(drafts)),
  images: besideSuites(images, ofUnused, deleteFrom(images)),
  unusedVersions: besideSuites(versions, ofUnused, async (ctx, ids) => {
    const { suites, suiteVersions } = ctx.db.tables;
    const touched = await ctx.db.query
      .selectDistinct({ id: suiteVersions.suiteId })
      .from(suiteVersions)
      .where(inList(ctx.db, suiteVersions.id, ids));
    await deleteFrom(versions)(ctx, ids);
    const left = sql`(select count(*) from ${suiteVersions} where ${eq(suiteVersions.suiteId, suites.id)})`;
    await ctx.db.query
      .update(suites)
      .set({ newestVersion: left })
      .where(
        inList(
          ctx.db,
          suites.id,
          touched.map(({ id }) => id),
        ),
      );
  }),
  judges: besideSuites(versions, ofUsed, ({ db }, ids) => {
    const { suiteVersions } = db.tables;
    return db.query
      .update(suiteVersions)
      .set({ judges: [] })
      .where(inList(db, suiteVersions.id, ids));
  }),
  unusedSuites: async (ctx, agentId) => {
    const { suites } = ctx.db.tables;
    const unused = await ctx.db.query
      .select({ id: suites.id })
      .from(suites)
      .where(and(eq(suites.ownerId, agentId), ofUnused(suites)));
    await eraseSuites(
      ctx,
      unused.map(({ id }) => id),
    );
    return null;
  },
};
