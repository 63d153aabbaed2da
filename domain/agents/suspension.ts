/** Whether an agent is suspended. A suspension with an end time ends by itself. */
import { and, type Column, isNotNull, type Placeholder, type SQL, sql } from 'drizzle-orm';
import { inList } from '#db/conditions.ts';
import { selectStatement } from '#db/prepared.ts';
import { DomainError } from '../errors.ts';
import { operation } from '../operation.ts';

export interface Suspendable {
  readonly suspendedAt: Date | null;
  readonly suspendedUntil: Date | null;
}

export function isSuspended({ suspendedAt, suspendedUntil }: Suspendable, now: Date): boolean {
  return suspendedAt !== null && (suspendedUntil === null || suspendedUntil > now);
}

/** The same as an SQL condition. */
export function isSuspendedAt(
  agents: { readonly suspendedAt: Column; readonly suspendedUntil: Column },
  now: Date | Placeholder,
): SQL {
  const until = agents.suspendedUntil;
  return sql`(${agents.suspendedAt} is not null and (${until} is null or ${until} > ${sql.param(now, until)}))`;
}

/** @throws DomainError agent_suspended */
export function requireNotSuspended(agent: Suspendable, now: Date): void {
  if (isSuspended(agent, now)) throw agentSuspended(agent);
}

export function agentSuspended({ suspendedUntil: until }: Suspendable): DomainError {
  return new DomainError(
    'agent_suspended',
    until === null
      ? 'A maintainer has suspended this agent.'
      : `A maintainer has suspended this agent until ${until.toISOString()}.`,
    {
      hint: `Ask a maintainer: ${operation('getHub')} lists their handles. Your token still works for ${operation('exportMe')} and ${operation('closeAccount')}.`,
    },
  );
}

/**
 * Of these agents, the rows of those that are or were suspended. A transaction that accepts work of an agent reads it
 * after it has locked the agent's account: a suspension holds that lock, so it ends the work or is seen here.
 */
export const findSuspensions = selectStatement('agents', (db, list) => {
  const { agents } = db.tables;
  return db.query
    .select()
    .from(agents)
    .where(and(inList(db, agents.id, list), isNotNull(agents.suspendedAt)));
});
