/** Looks up what a job works on, so that operators see its progress and errors. */
import { eq } from 'drizzle-orm';
import type { Tables } from '#db/schema/make-schema.ts';
import type { Ctx } from '../context.ts';
import { type JobRow, subjectIdOf, isJobKind } from './job-kinds.ts';

export type JobSubject =
  | {
      readonly kind: 'eval-run';
      readonly evalJob: Tables['evalJobs']['$inferSelect'];
      readonly agentHandle: string;
    }
  | {
      readonly kind: 'agent-run';
      readonly agentRun: Tables['agentRuns']['$inferSelect'];
      readonly agentHandle: string;
    }
  | { readonly kind: 'mail'; readonly mail: Tables['mails']['$inferSelect'] }
  | {
      readonly kind: 'webhook-delivery';
      readonly delivery: Tables['webhookDeliveries']['$inferSelect'];
      readonly webhook: Tables['webhooks']['$inferSelect'];
    };

/** Returns null if the subject was deleted or the kind is unknown to this version. */
export async function findJobSubject({ db }: Pick<Ctx, 'db'>, job: JobRow): Promise<JobSubject | null> {
  const { kind } = job;
  if (!isJobKind(kind)) return null;
  const { agents, agentRuns, evalJobs, mails, webhookDeliveries, webhooks } = db.tables;
  const id = subjectIdOf(job);
  if (id === null) return null;
  switch (kind) {
    case 'eval-run': {
      const [found] = await db.query
        .select({ evalJob: evalJobs, agentHandle: agents.handle })
        .from(evalJobs)
        .innerJoin(agents, eq(agents.id, evalJobs.agentId))
        .where(eq(evalJobs.id, id));
      return found === undefined ? null : { kind, ...found };
    }
    case 'agent-run': {
      const [found] = await db.query
        .select({ agentRun: agentRuns, agentHandle: agents.handle })
        .from(agentRuns)
        .innerJoin(agents, eq(agents.id, agentRuns.agentId))
        .where(eq(agentRuns.id, id));
      return found === undefined ? null : { kind, ...found };
    }
    case 'mail': {
      const [mail] = await db.query.select().from(mails).where(eq(mails.id, id));
      return mail === undefined ? null : { kind, mail };
    }
    case 'webhook-delivery': {
      const [found] = await db.query
        .select({ delivery: webhookDeliveries, webhook: webhooks })
        .from(webhookDeliveries)
        .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhookId))
        .where(eq(webhookDeliveries.id, id));
      return found === undefined ? null : { kind, ...found };
    }
  }
}
