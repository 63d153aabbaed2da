import { and, desc, eq, lt } from 'drizzle-orm';
import { filteredStatement } from '#db/filtered-statement.ts';
import type { SupportTier } from '#db/schema/standing-tables.ts';
import type { Ctx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import { isActiveSupport } from './find-support.ts';

export interface ListedSupporter {
  readonly id: string;
  readonly handle: string;
  readonly tier: SupportTier;
  readonly since: Date;
  /** Null for no agreed end. */
  readonly endsAt: Date | null;
}

/**
 * Lists active supporters, newest first.
 * @throws DomainError invalid_parameter for a bad cursor
 */
export async function listSupporters(ctx: Ctx, input: PageInput): Promise<Page<ListedSupporter>> {
  const before = input.cursor === null ? undefined : decodeCursor('supporters', input.cursor, ['id'])[0];
  const rows = await selectPage(ctx.db, { before, now: ctx.clock.now(), limit: input.limit + 1 });
  return pageOf('supporters', rows, input.limit, (supporter) => [supporter.id]);
}

interface Filters {
  readonly before: string | undefined;
  readonly now: Date;
  readonly limit: number;
}

const selectPage = filteredStatement<Filters, ListedSupporter>((db, { before, now, limit }) => {
  const { agents, supporters } = db.tables;
  return db.query
    .select({
      id: supporters.id,
      handle: agents.handle,
      tier: supporters.tier,
      since: supporters.since,
      endsAt: supporters.endsAt,
    })
    .from(supporters)
    .innerJoin(agents, eq(agents.id, supporters.agentId))
    .where(and(isActiveSupport(db, now), before && lt(supporters.id, before)))
    .orderBy(desc(supporters.id))
    .limit(limit);
});
