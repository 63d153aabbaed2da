/** Checks that pending work has a job that a worker will take. */
import { isNull, sql } from 'drizzle-orm';
import { isOpenAgentRun, isOpenEvalJob, isPendingDelivery } from '#db/schema/index-conditions.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import type { AuditCheck } from './audit-check.ts';
import { findMissingJobs, type Promised } from './find-missing-jobs.ts';

function forgotten(name: string, promise: string, promised: (tables: Tables) => Promised): AuditCheck {
  return { name, promise, find: (db, limit) => findMissingJobs(db, promised(db.tables), limit) };
}

export const workChecks: readonly AuditCheck[] = [
  forgotten('eval_work', 'Every open run in push mode has an open job.', ({ evalJobs }) => ({
    kind: 'eval-run',
    table: evalJobs,
    id: sql`${evalJobs.id}`,
    status: sql`${evalJobs.status}`,
    // In pull mode the agent does the work.
    isOpen: sql`${isOpenEvalJob(evalJobs)} and ${evalJobs.mode} = 'push'`,
  })),
  forgotten('agent_run_work', 'Every open agent run in push mode has an open job.', ({ agentRuns }) => ({
    kind: 'agent-run',
    table: agentRuns,
    id: sql`${agentRuns.id}`,
    status: sql`${agentRuns.status}`,
    isOpen: sql`${isOpenAgentRun(agentRuns)} and ${agentRuns.mode} = 'push'`,
  })),
  forgotten('mail_work', 'Every email still to be sent has an open job.', ({ mails }) => ({
    kind: 'mail',
    table: mails,
    id: sql`${mails.id}`,
    status: sql`${mails.status}`,
    isOpen: isNull(mails.endedAt),
  })),
  forgotten('webhook_work', 'Every pending delivery has an open job.', ({ webhookDeliveries }) => ({
    kind: 'webhook-delivery',
    table: webhookDeliveries,
    id: sql`${webhookDeliveries.id}`,
    status: sql`${webhookDeliveries.status}`,
    isOpen: isPendingDelivery(webhookDeliveries),
  })),
];
