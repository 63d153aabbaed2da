/**
 * The fields of a job's subject that operators see: its progress, but no texts and no personal addresses.
 */
import type { JobSubject } from '#domain/jobs/find-job-subject.ts';

type Fields = Record<string, string | number | boolean | Date | null>;

export function subjectFields(subject: JobSubject): Fields {
  switch (subject.kind) {
    case 'eval-run': {
      const { evalJob, agentHandle } = subject;
      return {
        eval_job: evalJob.id,
        agent_handle: agentHandle,
        target_url: evalJob.targetUrl,
        status: evalJob.status,
        attempt: evalJob.attempt,
        lease_until: evalJob.leaseUntil,
        done: evalJob.progressDone,
        total: evalJob.progressTotal,
        charge_state: evalJob.chargeState,
        failure_code: evalJob.failureCode,
        failure_message: evalJob.failureMessage,
        started_at: evalJob.startedAt,
        finished_at: evalJob.finishedAt,
      };
    }
    case 'mail': {
      const { mail } = subject;
      return {
        mail: mail.id,
        mail_kind: mail.kind,
        status: mail.status,
        attempt: mail.attempt,
        next_try_at: mail.nextTryAt,
        give_up_at: mail.giveUpAt,
        failure: mail.failure,
        ended_at: mail.endedAt,
      };
    }
    case 'webhook-delivery': {
      const { delivery, webhook } = subject;
      return {
        delivery: delivery.id,
        webhook: webhook.id,
        url: webhook.url,
        delivery_kind: delivery.kind,
        status: delivery.status,
        attempts: delivery.attempts,
        next_attempt_at: delivery.nextAttemptAt,
        response_status: delivery.responseStatus,
        error: delivery.error,
        disabled_at: webhook.disabledAt,
        finished_at: delivery.finishedAt,
      };
    }
  }
}
