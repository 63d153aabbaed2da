import { and, asc, desc, eq, gt, inArray, isNull, lt, type Placeholder, type SQL } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { filteredStatement } from '#db/filtered-statement.ts';
import { isOpenAccount, isVerifiedAgent } from '#db/schema/index-conditions.ts';
import { matchesSearch } from '#db/search.ts';
import type { Ctx } from '../context.ts';
import { searching } from '../searching.ts';
import { decodeCursor, type Page, pageById, type PageInput, pageOf } from '../paging.ts';
import { skillWordOf } from './check-agent-card.ts';
import type { AgentRow } from './find-agent.ts';
import { maskAgent } from './show-agent.ts';

export interface ListAgentsInput extends PageInput {
  /** Search words; all agents when left out. */
  readonly q?: string | undefined;
  /** Only the agent with this did, current or former. */
  readonly did?: string | undefined;
  /** Only the agent with this key, current or former; canonical base64. */
  readonly key?: string | undefined;
  /** Only agents whose card has a skill with this id, name or tag. */
  readonly skill?: string | undefined;
  /** By default by reputation. `verified` lists the newest of those with the badge. */
  readonly order?: AgentOrder | undefined;
}

export const agentOrders = ['reputation', 'newest', 'verified'] as const;
export type AgentOrder = (typeof agentOrders)[number];

/**
 * Lists agents by `reputation_total` descending, then `handle`, or the newest first. An agent whose reputation changes between two
 * pages may be listed twice or not at all.
 *
 * @throws DomainError invalid_parameter for a bad cursor; search_timeout
 */
export function listAgents(ctx: Ctx, input: ListAgentsInput): Promise<Page<AgentRow>> {
  return searching(ctx, input.q ?? input.skill, (reading) => readAgents(reading, input));
}

async function readAgents(ctx: Ctx, input: ListAgentsInput): Promise<Page<AgentRow>> {
  const { agents } = ctx.db.tables;
  const { q, skill, did, key, order = 'reputation' } = input;
  const found = and(
    q === undefined ? undefined : await matchesSearch(ctx.db, 'agents', agents.id, q),
    skill === undefined ? undefined : isNull(agents.hiddenAt),
    skill === undefined ? undefined : await matchesSearch(ctx.db, 'cards', agents.id, skillWordOf(skill)),
  );
  if (order !== 'reputation') {
    const newest = await pageById('newest-agents', input, (before, limit) =>
      selectNewest[order](ctx.db, { before, limit }, found),
    );
    return { ...newest, items: newest.items.map(maskAgent) };
  }
  const wanted = input.limit + 1;
  const read = (place: Partial<Place>, limit: number): Promise<AgentRow[]> =>
    selectPage(ctx.db, { ...place, did, key, limit }, found);

  const rows: AgentRow[] = [];
  if (input.cursor === null) {
    rows.push(...(await read({}, wanted)));
  } else {
    // Two range scans instead of one condition with OR: with OR, the store would walk all agents of the same
    // reputation, which in a young hub is everyone.
    const [reputation, handle] = decodeCursor('agents', input.cursor, ['integer', 'string']);
    rows.push(...(await read({ reputation, handle }, wanted)));
    const missing = wanted - rows.length;
    if (missing > 0) rows.push(...(await read({ below: reputation }, missing)));
  }
  return pageOf('agents', rows.map(maskAgent), input.limit, (agent) => [agent.reputationTotal, agent.handle]);
}

const selectNewest = { newest: selectByAge(false), verified: selectByAge(true) };

function selectByAge(isVerified: boolean) {
  return filteredStatement<{ readonly before: string | undefined; readonly limit: number }, AgentRow>(
    (db, { before, limit }, found) => {
      const { agents } = db.tables;
      return db.query
        .select()
        .from(agents)
        .where(
          and(
            before && lt(agents.id, before),
            isVerified ? and(isVerifiedAgent(agents), isNull(agents.hiddenAt)) : undefined,
            found,
            isOpenAccount(agents),
          ),
        )
        .orderBy(desc(agents.id))
        .limit(limit);
    },
  );
}

/** Which agents to read: those with the same reputation after a handle, or those with less. */
interface Place {
  readonly reputation: number | undefined;
  readonly handle: string | undefined;
  readonly below: number | undefined;
}

interface Filters extends Partial<Place> {
  readonly did: string | undefined;
  readonly key: string | undefined;
  readonly limit: number;
}

const selectPage = filteredStatement<Filters, AgentRow>((db, given, found) => {
  const { agents } = db.tables;
  const { reputation, handle, below, limit } = given;
  return db.query
    .select()
    .from(agents)
    .where(
      and(
        reputation && eq(agents.reputationTotal, reputation),
        handle && gt(agents.handle, handle),
        below && lt(agents.reputationTotal, below),
        found,
        identityCondition(db, given),
        isOpenAccount(agents),
      ),
    )
    .orderBy(desc(agents.reputationTotal), asc(agents.handle))
    .limit(limit);
});

interface Identity {
  readonly did?: Placeholder | undefined;
  readonly key?: Placeholder | undefined;
}

/** One condition for current and former keys: with OR, Postgres would read all agents. */
function identityCondition(
  { query, tables: { agents, formerKeys } }: Database,
  { did, key }: Identity,
): SQL | undefined {
  const current = (condition: SQL) => query.select({ id: agents.id }).from(agents).where(condition);
  const former = (condition: SQL) =>
    query.select({ id: formerKeys.agentId }).from(formerKeys).where(condition);
  return and(
    did && inArray(agents.id, current(eq(agents.did, did)).union(former(eq(formerKeys.did, did)))),
    key &&
      inArray(agents.id, current(eq(agents.publicKey, key)).union(former(eq(formerKeys.publicKey, key)))),
  );
}
