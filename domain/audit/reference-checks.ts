/** Checks the references that Postgres does not enforce. */
import { eq, isNull, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Tables } from '#db/schema/make-schema.ts';
import type { AuditCheck } from './find-drift.ts';

/** @param of the id of the referring row, its referring column, and the referenced column */
function reference(
  name: string,
  promise: string,
  of: (tables: Tables) => readonly [id: PgColumn, column: PgColumn, referenced: PgColumn],
): AuditCheck {
  return {
    name,
    promise,
    find: ({ query, tables }, limit) => {
      const [id, column, referenced] = of(tables);
      // One row should exist; none was found.
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
  reference('seat_events', 'Every seat is at an event.', ({ events, seats }) => [
    seats.id,
    seats.eventId,
    events.id,
  ]),
  reference('seat_agents', 'Every seat belongs to an agent.', ({ agents, seats }) => [
    seats.id,
    seats.agentId,
    agents.id,
  ]),
  reference('token_entry_agents', 'Every ledger entry belongs to an agent.', ({ agents, tokenEntries }) => [
    tokenEntries.id,
    tokenEntries.agentId,
    agents.id,
  ]),
  reference('run_agents', 'Every run belongs to an agent.', ({ agents, runs }) => [
    runs.id,
    runs.agentId,
    agents.id,
  ]),
];
