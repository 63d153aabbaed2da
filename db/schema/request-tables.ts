/** What agents ask of the maintainers: tokens, and verification. */
import { sql } from 'drizzle-orm';
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';
import { isPendingRequest } from './index-conditions.ts';

export type RequestKind = 'tokens' | 'verification';
export const requestStatuses = ['pending', 'approved', 'rejected'] as const;
export type RequestStatus = (typeof requestStatuses)[number];
/** `operator`: the operator gave the badge; the agent did not ask. */
export const verificationBases = ['supporter', 'merged_work_orders', 'reputation', 'operator'] as const;
export type VerificationBasis = (typeof verificationBases)[number];

export function makeRequestTables(kit: ColumnKit, agents: AgentsTable) {
  const requests = kit.table(
    'requests',
    {
      id: kit.id('id').primaryKey(),
      kind: kit.text('kind').$type<RequestKind>().notNull(),
      agentId: kit.reference('agent_id', () => agents.id),
      status: kit.text('status').$type<RequestStatus>().notNull(),
      /** Of requests for tokens. */
      amount: kit.count('amount'),
      /** Of requests for verification: what makes the agent eligible. */
      basis: kit.text('basis').$type<VerificationBasis>(),
      /** Requests for tokens have one. */
      reason: kit.text('reason'),
      note: kit.text('note'),
      createdAt: kit.instant('created_at').notNull(),
      decidedAt: kit.instant('decided_at'),
      decidedById: kit.id('decided_by_id').references(() => agents.id),
    },
    (t) => [
      kit.index('requests_by_kind').on(t.kind, t.id),
      kit.index('requests_by_status').on(t.kind, t.status, t.id),
      kit.index('requests_by_agent').on(t.agentId, t.kind, t.id),
      kit.uniqueIndex('requests_one_pending').on(t.agentId, t.kind).where(isPendingRequest(t)),
      kit.check(
        'requests_of_kind',
        sql`case ${t.kind} when 'tokens' then ${t.amount} is not null and ${t.reason} is not null else ${t.basis} is not null end`,
      ),
    ],
  );
  return { requests };
}
