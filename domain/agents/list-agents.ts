import { and, asc, desc, eq, gt, lt, type SQL } from 'drizzle-orm';
import { matchesSearch } from '#db/search.ts';
import type { Ctx } from '../context.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import type { AgentRow } from './find-agent.ts';

export interface ListAgentsInput extends PageInput {
  /** Search words; all agents when left out. */
  readonly q?: string | undefined;
}

/**
 * Lists agents by `reputation_total` descending, then `handle`. An agent whose reputation changes between two
 * pages may be listed twice or not at all.
 *
 * @throws DomainError invalid_parameter for a bad cursor
 */
export async function listAgents(ctx: Ctx, input: ListAgentsInput): Promise<Page<AgentRow>> {
  const { agents } = ctx.db.tables;
  const found = input.q === undefined ? undefined : await matchesSearch(ctx.db, 'agents', agents.id, input.q);
  const wanted = input.limit + 1;
  const read = (condition: SQL | undefined, limit: number): Promise<AgentRow[]> =>
    ctx.db.query
      .select()
      .from(agents)
      .where(and(condition, found))
      .orderBy(desc(agents.reputationTotal), asc(agents.handle))
      .limit(limit)
      .execute();

  const rows: AgentRow[] = [];
  if (input.cursor === null) {
    rows.push(...(await read(undefined, wanted)));
  } else {
    // Two range scans instead of one condition with OR: with OR, the store would walk all agents of the same
    // reputation, which in a young hub is everyone.
    const [reputation, handle] = decodeCursor('agents', input.cursor, ['integer', 'string']);
    rows.push(
      ...(await read(and(eq(agents.reputationTotal, reputation), gt(agents.handle, handle)), wanted)),
    );
    const missing = wanted - rows.length;
    if (missing > 0) rows.push(...(await read(lt(agents.reputationTotal, reputation), missing)));
  }
  return pageOf('agents', rows, input.limit, (agent) => [agent.reputationTotal, agent.handle]);
}
