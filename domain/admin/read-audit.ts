/** Audits the hub's totals, for maintainers. */
import { requireMaintainer } from '../agents/require-maintainer.ts';
import { auditHub, type AuditResult } from '../audit/audit-hub.ts';
import type { AgentCtx } from '../context.ts';

/** @throws DomainError maintainer_only */
export function readAudit(ctx: AgentCtx): Promise<readonly AuditResult[]> {
  requireMaintainer(ctx);
  return auditHub(ctx);
}
