import { and, asc, desc, eq, gt, inArray, lt, or, type SQL } from 'drizzle-orm';
import { isOpenAccount } from '#db/schema/index-conditions.ts';
import { matchesSearch } from '#db/search.ts';
import type { Ctx } from '../context.ts';
import { searching } from '../searching.ts';
import { decodeCursor, type Page, type PageInput, pageOf } from '../paging.ts';
import type { AgentRow } from './find-agent.ts';
import { maskAgent } from './mask-agent.ts';

export interface ListAgentsInput extends PageInput {
  /** Search words; all agents when left out. */
  readonly q?: string | undefined;
  /** Only the agent with this did, present or former. */
  readonly did?: string | undefined;
  /** Only the agent with this key, present or former; canonical base64. */
  readonly key?: string | undefined;
}

/**
 * Lists agents by `reputation_total` descending, then `handle`. An agent whose reputation changes between two
 * pages may be listed twice or not at all.
 *
 * @throws DomainError invalid_parameter for a bad cursor; search_timeout
 */
export function listAgents(ctx: Ctx, input: ListAgentsInput): Promise<Page<AgentRow>> {
  return searching(ctx, input.q, (reading) => readAgents(reading, input));
}

async function readAgents(ctx: Ctx, input: ListAgentsInput): Promise<Page<AgentRow>> {
  const { agents } = ctx.db.tables;
  const hasIdentity = identityCondition(ctx, input);
  const found = input.q === undefined ? undefined : await matchesSearch(ctx.db, 'agents', agents.id, input.q);
  const wanted = input.limit + 1;
  const read = (condition: SQL | undefined, limit: number): Promise<AgentRow[]> =>
    ctx.db.query
      .select()
      .from(agents)
      .where(and(condition, found, hasIdentity, isOpenAccount(agents)))
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
  return pageOf('agents', rows.map(maskAgent), input.limit, (agent) => [agent.reputationTotal, agent.handle]);
}

function identityCondition({ db }: Ctx, { did, key }: ListAgentsInput): SQL | undefined {
  const { agents, formerKeys } = db.tables;
  const former = (condition: SQL) =>
    db.query.select({ id: formerKeys.agentId }).from(formerKeys).where(condition);
  return and(
    did === undefined
      ? undefined
      : or(eq(agents.did, did), inArray(agents.id, former(eq(formerKeys.did, did)))),
    key === undefined
      ? undefined
      : or(eq(agents.publicKey, key), inArray(agents.id, former(eq(formerKeys.publicKey, key)))),
  );
}
