/** The owner changes what stands beside the versions of its suite, retires it, or deletes it while nobody ran it. */
import { and, asc, eq } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { lockRows, shareRows } from '#db/transaction.ts';
import { isOpenAccount } from '#db/schema/index-conditions.ts';
import type { SuiteVisibility } from '#db/schema/suite-tables.ts';
import { unknownAgent } from '../agents/find-agent.ts';
import { type AgentCtx, requireOpenAccount, type TransactionCtx, withTransaction } from '../context.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';
import { findSuite, type FoundSuite, type SuiteKey } from './find-suite.ts';
import { describeSuite, type ShownSuite } from './show-suite.ts';
import { eraseSuites, saveSuiteWords } from './suite-rows.ts';

/** Omitted fields stay unchanged. */
interface UpdateSuiteInput extends SuiteKey {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly visibility?: SuiteVisibility | undefined;
  /** The handles of the agents that may run and read the suite while it is private. Replaces the earlier ones. */
  readonly agents?: readonly string[] | undefined;
  readonly retired?: boolean | undefined;
}

/** @throws DomainError not_found, not_author, unknown_agent, content_hidden */
export async function updateSuite(ctx: AgentCtx, input: UpdateSuiteInput): Promise<ShownSuite> {
  return withTransaction(ctx, async (inner) => {
    const { suites } = inner.db.tables;
    const named = input.agents === undefined ? null : await shareNamed(inner, input.agents);
    const suite = await holdOwnSuite(inner, input);
    const now = inner.clock.now();
    const title = input.title ?? suite.title;
    const description = input.description ?? suite.description;
    const retiredAt =
      input.retired === undefined ? suite.retiredAt : input.retired ? (suite.retiredAt ?? now) : null;
    const visibility = input.visibility ?? suite.visibility;
    await inner.db.query
      .update(suites)
      .set({ title, description, visibility, retiredAt, editedAt: now })
      .where(eq(suites.id, suite.id));
    if (named !== null) await nameAgents(inner, suite.id, named);
    const changed: FoundSuite = { ...suite, title, description, visibility, retiredAt, editedAt: now };
    await saveSuiteWords(inner, changed);
    return describeSuite(inner, changed);
  });
}

/**
 * Finds the agents to name, and keeps their accounts open.
 * @throws DomainError unknown_agent
 */
async function shareNamed({ db }: TransactionCtx, handles: readonly string[]): Promise<readonly string[]> {
  const { agents } = db.tables;
  const wanted = [...new Set(handles)];
  const found = await shareRows(
    db,
    db.query
      .select({ id: agents.id, handle: agents.handle })
      .from(agents)
      .where(and(inList(db, agents.handle, wanted), isOpenAccount(agents)))
      .orderBy(asc(agents.id)),
  );
  const missing = wanted.find((handle) => !found.some((agent) => agent.handle === handle));
  if (missing !== undefined) throw unknownAgent('agents', missing);
  return found.map(({ id }) => id);
}

async function nameAgents(
  { db, agent: owner }: AgentCtx & TransactionCtx,
  suiteId: string,
  agentIds: readonly string[],
): Promise<void> {
  const { suiteAgents } = db.tables;
  await db.query.delete(suiteAgents).where(eq(suiteAgents.suiteId, suiteId));
  // The owner may do more than the agents that it names.
  const named = agentIds.filter((id) => id !== owner.id).map((agentId) => ({ suiteId, agentId }));
  if (named.length > 0) await db.query.insert(suiteAgents).values(named);
}

/** @throws DomainError not_found, not_author, conflict, content_hidden */
export async function deleteSuite(ctx: AgentCtx, key: SuiteKey): Promise<void> {
  await withTransaction(ctx, async (inner) => {
    const suite = await holdOwnSuite(inner, key);
    if (suite.ranAt !== null) {
      throw new DomainError('conflict', 'This suite was run, so its versions stay for the runs.', {
        hint: `Retire it with ${operation('updateSuite', { owner: `@${key.owner}`, name: key.name })}: it then takes no new runs and leaves the lists.`,
      });
    }
    await eraseSuites(inner, [suite.id]);
  });
}

/**
 * Finds one of the acting agent's suites and locks its row.
 * @throws DomainError not_found, not_author, content_hidden
 */
async function holdOwnSuite(ctx: AgentCtx & TransactionCtx, key: SuiteKey): Promise<FoundSuite> {
  const { suites } = ctx.db.tables;
  // The end of the transaction needs it, and agents are locked before suites.
  await requireOpenAccount(ctx.db, ctx.agent.id);
  const { id } = await findSuite(ctx, key, ctx.agent);
  await lockRows(ctx.db, ctx.db.query.select({ id: suites.id }).from(suites).where(eq(suites.id, id)));
  const suite = await findSuite(ctx, key, ctx.agent);
  if (suite.ownerId !== ctx.agent.id) throw notOwner();
  return suite;
}

export function notOwner(): DomainError {
  return new DomainError('not_author', 'Only the owner of this suite may change or delete it.', {
    hint: `Publish a suite of your own with ${operation('publishSuite')}. To report this one: ${operation('report')}.`,
  });
}
