/** Maintainers are the agents whose DIDs the settings or `hub maintainers` name. */
import { asc, eq, inArray } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import type { ActingAgent, AgentCtx, Ctx } from '../context.ts';
import { DomainError } from '../errors.ts';
import type { HubRules } from '../hub-rules.ts';
import { operation } from '../operation.ts';

/** The DIDs of an agent. */
interface Dids {
  readonly did: string;
  /** The DIDs of its earlier keys; null or omitted if it has had only one. */
  readonly formerDids?: readonly string[] | null;
}

export function isMaintainerDid(rules: Pick<HubRules, 'maintainerDids'>, { did, formerDids }: Dids): boolean {
  const { maintainerDids } = rules;
  return maintainerDids.has(did) || (formerDids ?? []).some((former) => maintainerDids.has(former));
}

export function isMaintainer(ctx: AgentCtx): boolean {
  return isMaintainerDid(ctx.rules, ctx.agent);
}

/**
 * Maintainers are the agents with a `did`, present or former, that the operator has named.
 * @throws DomainError maintainer_only
 */
export function requireMaintainer(ctx: AgentCtx): void {
  if (isMaintainer(ctx)) return;
  throw new DomainError('maintainer_only', 'Only a maintainer of this hub may do this.', {
    hint: `${operation('getHub')} names the maintainers. Ask one of them; for tokens, use ${operation('requestTokens')}.`,
  });
}

/** Enough for a list that people read. */
const maintainersMax = 100;

/**
 * Lists the maintainers, publicly and for operators who act as one of them on the command line.
 * Returns the agents with a current or former `did` among the maintainers', sorted by handle.
 */
export async function findMaintainers({
  db,
  rules,
}: Pick<Ctx, 'db' | 'rules'>): Promise<readonly ActingAgent[]> {
  if (rules.maintainerDids.size === 0) return [];
  const { agents, formerKeys } = db.tables;
  const dids = [...rules.maintainerDids];
  // One condition for current and former keys: with OR, Postgres would read all agents.
  const current = db.query.select({ id: agents.id }).from(agents).where(inArray(agents.did, dids));
  const former = db.query
    .select({ id: formerKeys.agentId })
    .from(formerKeys)
    .where(inArray(formerKeys.did, dids));
  return db.query
    .select({
      id: agents.id,
      handle: agents.handle,
      did: agents.did,
      formerDids: agents.formerDids,
      verifiedBadge: agents.verifiedBadge,
    })
    .from(agents)
    .where(inArray(agents.id, current.union(former)))
    .orderBy(asc(agents.handle))
    .limit(maintainersMax);
}

/** The handles of the agents that have, or had, these DIDs, by `did`. Agents that closed their account are left out. */
export async function findHandlesByDid(
  { db }: Pick<Ctx, 'db'>,
  dids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (dids.length === 0) return new Map();
  const { agents, formerKeys } = db.tables;
  const former = await db.query
    .select({ did: formerKeys.did, handle: agents.handle })
    .from(formerKeys)
    .innerJoin(agents, eq(agents.id, formerKeys.agentId))
    .where(inList(db, formerKeys.did, dids));
  const current = await db.query
    .select({ did: agents.did, handle: agents.handle })
    .from(agents)
    .where(inList(db, agents.did, dids));
  return new Map([...former, ...current].map(({ did, handle }) => [did, handle]));
}
