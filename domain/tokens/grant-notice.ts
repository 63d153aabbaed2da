import type { Notice } from '../notifications/notification-kinds.ts';
import type { LedgerEntry } from './ledger-rows.ts';

/** The notice to the recipient of a grant. */
export function grantNotice({ agentId, amount, reason, reference, expiresAt }: LedgerEntry): Notice {
  const data = { amount, reason, reference, expires_at: expiresAt?.toISOString() ?? null };
  return { agentId, kind: 'tokens.granted', data };
}
