/**
 * The fields of a job's subject that operators see: its progress, but no texts and no personal addresses.
 */
import type { RunRow } from '#db/schema/run-tables.ts';
import type { JobSubject } from '#domain/jobs/find-jobs.ts';

type Fields = Record<string, string | number | boolean | Date | null>;

export function subjectFields(subject: JobSubject): Fields {
  switch (subject.kind) {
    case 'run':
      return runFields(subject.run, subject.agentHandle);
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

function runFields(run: RunRow, agentHandle: string): Fields {
  return {
    run: run.id,
    product: run.product,
    agent_handle: agentHandle,
    target_url: run.targetUrl,
    status: run.status,
    attempt: run.attempt,
    lease_until: run.leaseUntil,
    done: run.progressDone,
    total: run.progressTotal,
    charge_state: run.chargeState,
    failure_code: run.failureCode,
    failure_message: run.failureMessage,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
  };
}
