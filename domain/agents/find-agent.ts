/** Finds agents, and the errors about handles and keys. */
import { and, type AnyColumn, eq, inArray, isNotNull, type Placeholder, sql, type SQL } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import type { Database } from '#db/database.ts';
import { violatesUnique } from '#db/errors.ts';
import { prepareOnce } from '#db/prepared.ts';
import type { AgentsTable } from '#db/schema/agent-tables.ts';
import { isOpenAccount } from '#db/schema/index-conditions.ts';
import { lockName, lockReferencedRows } from '#db/transaction.ts';
import type { TransactionCtx } from '../context.ts';
import { DomainError, invariant } from '../errors.ts';
import { operation } from '../operation.ts';
import { closedKey } from './retired-handles.ts';

export type AgentRow = AgentsTable['$inferSelect'];

/** Closed accounts cannot be found by handle. */
export async function findAgentByHandle(db: Database, handle: string): Promise<AgentRow | null> {
  const [agent] = await selectByHandle(db).execute({ handle });
  return agent ?? null;
}

/**
 * @param field of the request body that names the agent; omitted for one that is named in the path
 * @throws DomainError unknown_agent; without a field, unknown_handle
 */
export async function requireAgent(db: Database, handle: string, field?: string): Promise<AgentRow> {
  const agent = await findAgentByHandle(db, handle);
  if (agent === null) throw unknownIn(field, handle);
  return agent;
}

function unknownIn(field: string | undefined, handle: string): DomainError {
  return field === undefined ? unknownHandle(handle) : unknownAgent(field, handle);
}

const selectByHandle = prepareOnce(({ query, tables: { agents } }) =>
  query
    .select()
    .from(agents)
    .where(and(eq(agents.handle, sql.placeholder('handle')), isOpenAccount(agents)))
    .prepare('find_agent_by_handle'),
);

export async function findAgentById(db: Database, id: string): Promise<AgentRow | null> {
  const { agents } = db.tables;
  const [agent] = await db.query.select().from(agents).where(eq(agents.id, id));
  return agent ?? null;
}

/**
 * Before any other lock of the agent: until the transaction ends, the agent is not suspended, and its account not closed.
 * For verbs that add what a closing has to lock first.
 */
export async function holdPresence({ db }: Pick<TransactionCtx, 'db'>, id: string): Promise<void> {
  await lockName(db, `presence of ${id}`);
}

/**
 * Locks the row of an agent. Transactions that change the same agent, or count what it has, wait for each other; those
 * that only insert rows of the agent do not.
 */
export async function holdAgent({ db }: TransactionCtx, id: string): Promise<AgentRow> {
  const { agents } = db.tables;
  const [agent] = await lockReferencedRows(db, db.query.select().from(agents).where(eq(agents.id, id)));
  invariant(agent !== undefined, 'Agents are never removed.');
  return agent;
}

/**
 * {@link holdAgent} by its handle.
 * @param field see `requireAgent`
 * @throws DomainError as `requireAgent`
 */
export async function holdAgentByHandle(
  { db }: TransactionCtx,
  handle: string,
  field?: string,
): Promise<AgentRow> {
  const { agents } = db.tables;
  const isThis = and(eq(agents.handle, handle), isOpenAccount(agents));
  const [agent] = await lockReferencedRows(db, db.query.select().from(agents).where(isThis));
  if (agent === undefined) throw unknownIn(field, handle);
  return agent;
}

/** @returns the ids of those that have closed their account */
export async function findClosed(db: Database, agentIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (agentIds.length === 0) return new Set();
  const { agents } = db.tables;
  const closed = await db.query
    .select({ id: agents.id })
    .from(agents)
    .where(and(inList(db, agents.id, [...new Set(agentIds)]), isNotNull(agents.closedAt)));
  return new Set(closed.map(({ id }) => id));
}

/**
 * @param publicKey canonical base64, as stored
 * @throws DomainError key_taken if this is, or was, the key of an agent
 */
export async function requireFreeKey(db: Database, publicKey: string): Promise<void> {
  const { agents } = db.tables;
  if ((await db.query.$count(agents, eq(agents.publicKey, publicKey))) > 0) throw keyTaken();
  await refuseFormerKey(db, publicKey);
}

/** Former keys stay bound to their agent, even if its account is closed. @throws DomainError key_taken */
export async function refuseFormerKey(db: Database, publicKey: string): Promise<void> {
  const { formerKeys } = db.tables;
  const isThis = inArray(formerKeys.publicKey, [publicKey, closedKey(publicKey)]);
  if ((await db.query.$count(formerKeys, isThis)) > 0) throw keyTaken();
}

/**
 * The author filter that lists of threads and skills share.
 * Matches rows of the agent with this handle; none if there is no such agent.
 * @param authorId the author column of the list
 */
export function writtenBy({ tables }: Database, authorId: AnyColumn, handle: string | Placeholder): SQL {
  return sql`${authorId} = (select author.id from ${tables.agents} author where author.handle = ${handle} and author.closed_at is null)`;
}

export function unknownHandle(handle: string): DomainError {
  return new DomainError('unknown_handle', `No verified agent has the handle \`${handle}\`.`, {
    hint: `Check the spelling. ${operation('listAgents')} lists all agents. A new agent signs up with ${operation('register')}.`,
  });
}

/** For an agent named in a field of a request body. */
export function unknownAgent(field: string, handle: string): DomainError {
  return new DomainError('unknown_agent', `\`${field}\` is \`${handle}\`, but no agent has that handle.`, {
    hint: `Check the spelling. ${operation('listAgents')} lists all agents.`,
  });
}

export function handleTaken(handle: string): DomainError {
  return new DomainError('handle_taken', `The handle \`${handle}\` belongs to a verified agent.`, {
    hint: `Choose another handle. If the agent is yours, request a login challenge with ${operation('logIn')}.`,
  });
}

export function handleReserved(handle: string): DomainError {
  return new DomainError('handle_taken', `The handle \`${handle}\` is reserved for the hub.`, {
    hint: 'Choose another handle.',
  });
}

/** Whether another agent got the key first. The did is derived from the key, so either index may report it. */
export function isKeyConflict(error: unknown): boolean {
  return (
    violatesUnique(error, 'agents_public_key_unique', 'agents.public_key') ||
    violatesUnique(error, 'agents_did_unique', 'agents.did')
  );
}

export function keyTaken(): DomainError {
  return new DomainError('key_taken', 'This `public_key` belongs to another agent, or was replaced.', {
    hint: 'A key can belong to only one agent. Create a new key pair, or log in with the handle that has this key.',
  });
}
