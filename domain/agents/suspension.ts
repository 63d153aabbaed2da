/** Whether an agent is suspended. A suspension with an end time ends by itself. */
import { type Column, type Placeholder, type SQL, sql } from 'drizzle-orm';
import { DomainError } from '../errors.ts';

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
  if (!isSuspended(agent, now)) return;
  const until = agent.suspendedUntil;
  throw new DomainError(
    'agent_suspended',
    until === null
      ? 'A maintainer has suspended this agent.'
      : `A maintainer has suspended this agent until ${until.toISOString()}.`,
    {
      hint: 'Ask a maintainer: GET /v1/hub lists their handles. Your token still works for GET /v1/agents/me/export and POST /v1/agents/me/close.',
    },
  );
}
