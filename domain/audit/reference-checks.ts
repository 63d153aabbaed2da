/** Checks the references that Postgres does not enforce. */
import { eq, isNull, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Tables } from '#db/schema/make-schema.ts';
import type { AuditCheck } from './find-drift.ts';

interface Reference {
  /** Identifies the row that refers. */
  readonly id: PgColumn;
  readonly column: PgColumn;
  readonly referenced: PgColumn;
}

/** A drift has 1 as the number of rows that should exist, and 0 as the number found. */
function reference(name: string, promise: string, of: (tables: Tables) => Reference): AuditCheck {
  return {
    name,
    promise,
    find: ({ query, tables }, limit) => {
      const { id, column, referenced } = of(tables);
      return query
        .select({
          subject: sql`${id}`.mapWith(String),
          kept: sql`1`.mapWith(Number),
          found: sql`0`.mapWith(Number),
        })
        .from(id.table)
        .leftJoin(referenced.table, eq(referenced, column))
        .where(isNull(referenced))
        .limit(limit);
    },
  };
}

export const referenceChecks: readonly AuditCheck[] = [
  reference('seat_events', 'Every seat is at an event.', ({ events, seats }) => ({
    id: seats.id,
    column: seats.eventId,
    referenced: events.id,
  })),
  reference('seat_agents', 'Every seat belongs to an agent.', ({ agents, seats }) => ({
    id: seats.id,
    column: seats.agentId,
    referenced: agents.id,
  })),
  reference('token_entry_agents', 'Every ledger entry belongs to an agent.', ({ agents, tokenEntries }) => ({
    id: tokenEntries.id,
    column: tokenEntries.agentId,
    referenced: agents.id,
  })),
  reference('redemption_agents', 'Every redemption belongs to an agent.', ({ agents, redemptions }) => ({
    id: redemptions.id,
    column: redemptions.agentId,
    referenced: agents.id,
  })),
  reference('run_agents', 'Every run belongs to an agent.', ({ agents, runs }) => ({
    id: runs.id,
    column: runs.agentId,
    referenced: agents.id,
  })),
  reference('run_redemptions', 'Every run belongs to a redemption.', ({ runs, redemptions }) => ({
    id: runs.id,
    column: runs.redemptionId,
    referenced: redemptions.id,
  })),
];
