/** Credentials: the keys that sign them, those that the hub has issued, and those of other hubs that agents show. */
import { isNotNull } from 'drizzle-orm';
import type { AgentsTable } from './agent-tables.ts';
import type { ColumnKit } from './column-kit.ts';
import type { RunsTable } from './run-tables.ts';

export function makeCredentialTables(kit: ColumnKit, agents: AgentsTable, runs: RunsTable) {
  /** The public keys, oldest first. The private keys are derived from SECRET_KEY. No row is ever deleted. */
  const issuerKeys = kit.table('issuer_keys', {
    /** 1, 2, 3 … */
    generation: kit.integer('generation').primaryKey(),
    /** Multibase, as in the hub's document. */
    publicKey: kit.text('public_key').notNull().unique('issuer_keys_key_unique'),
    createdAt: kit.instant('created_at').notNull(),
  });

  /** One row for each run whose credential was fetched. */
  const runCredentials = kit.table(
    'run_credentials',
    {
      /** Its place in the status lists. */
      position: kit.rowNumber('position'),
      runId: kit.reference('run_id', () => runs.id).unique('run_credentials_run_unique'),
      issuedAt: kit.instant('issued_at').notNull(),
      revokedAt: kit.instant('revoked_at'),
    },
    (t) => [kit.index('run_credentials_revoked').on(t.position).where(isNotNull(t.revokedAt))],
  );

  /** Credentials of other hubs on the profiles of agents. */
  const agentCredentials = kit.table(
    'agent_credentials',
    {
      id: kit.id('id').primaryKey(),
      agentId: kit.reference('agent_id', () => agents.id),
      issuer: kit.text('issuer').notNull(),
      /** Of the issuer; null for a `did:key`, which names no host. */
      host: kit.text('host'),
      credential: kit.json<Readonly<Record<string, unknown>>>('credential').notNull(),
      /** SHA-256 of its canonical form. */
      hash: kit.text('hash').notNull(),
      validUntil: kit.instant('valid_until'),
      createdAt: kit.instant('created_at').notNull(),
    },
    (t) => [kit.uniqueIndex('agent_credentials_once').on(t.agentId, t.hash)],
  );

  return { issuerKeys, runCredentials, agentCredentials };
}

export type AgentCredentialRow = ReturnType<typeof makeCredentialTables>['agentCredentials']['$inferSelect'];
