/** `hub jobs`: individual background jobs. */
import { Option } from 'commander';
import type { RunRow } from '#db/schema/run-tables.ts';
import type { Ctx } from '#domain/context.ts';
import { findJob, findJobs, findJobSubject, type JobSubject } from '#domain/jobs/find-jobs.ts';
import { isJobKind, type JobRow, kindsOfQueue, queueOfKind, subjectIdOf } from '#domain/jobs/job-kinds.ts';
import { retryJobs } from '#domain/jobs/retry-jobs.ts';
import { HubRefusal } from '../../client/hub-refusal.ts';
import { argument, exampleId, limitOption, rowId } from '../arguments.ts';
import { commandTable, operatorCommand, tableOf } from '../operator-command.ts';
import { fieldLines, pickFields } from '../output.ts';
import { promoteJob, readJobState } from '../operator/queues.ts';

const about =
  'List, show and retry single jobs.\n\nA job is a row in the database. It stays open until its work is committed, and is deleted a week later.';

const queueNames = [...new Set(Object.values(queueOfKind))];
const args = [argument('<id>', 'Id of the job, or of its eval run, email or delivery', rowId)];

export const addCommands = commandTable('jobs', about, [
  operatorCommand({
    name: 'list',
    about: 'List open jobs, next due first, or closed jobs, newest first',
    options: [
      new Option('--queue <queue>', 'Only jobs of this queue').choices(queueNames),
      new Option('--state <state>', 'Open or closed jobs').choices(['open', 'closed']).default('open'),
      limitOption(),
    ],
    examples: ['', '--queue webhooks --state closed --limit 10'],
    run: async (ctx, given: { queue?: string; state: 'open' | 'closed'; limit: number }) => {
      const { queue, state, limit } = given;
      const kinds = queue === undefined ? null : kindsOfQueue(queue);
      const found = await findJobs(ctx, { kinds, state, limit });
      return [{ jobs: found.map(shown) }, tableOf(columns, found)];
    },
  }),
  operatorCommand({
    name: 'show',
    about: 'Show a job, its subject and its state in the queue',
    args,
    examples: [exampleId],
    run: async (ctx, { id }: { id: string }, operator) => {
      const job = await requireJob(ctx, id);
      const subject = await findJobSubject(ctx, job);
      const inQueue = await readJobState(operator, job);
      const fields = subject === null ? {} : subjectFields(subject);
      const lines = fieldLines({
        id: job.id,
        kind: job.kind,
        state: stateOf(job),
        'in queue': inQueue,
        promised: job.createdAt,
        due: job.runAt,
        announced: job.publishedAt,
        closed: job.closedAt,
      });
      const ofSubject = subject === null ? ['Its subject no longer exists.'] : fieldLines(fields);
      return [{ job: { ...shown(job), in_queue: inQueue, subject: fields } }, [...lines, '', ...ofSubject]];
    },
  }),
  operatorCommand({
    name: 'retry',
    about: 'Run an open job now, and publish it again if the queue has lost it',
    args,
    help: 'Closed jobs are refused: a failed eval run has been refunded, and its agent can redeem another.',
    examples: [exampleId],
    run: async (ctx, { id }: { id: string }, operator) => {
      const { id: jobId } = await requireJob(ctx, id);
      const [job] = await retryJobs(ctx, [jobId]);
      if (job === undefined) throw new HubRefusal(`Job ${jobId} is closed. Closed jobs cannot be retried.`);
      await operator.announce();
      await promoteJob(operator, job);
      return [{ job: shown(job) }, [`job ${job.id} is due now`]];
    },
  }),
]);

async function requireJob(ctx: Ctx, id: string): Promise<JobRow> {
  const job = await findJob(ctx, id);
  if (job !== null) return job;
  throw new HubRefusal(
    `No job, and no subject of a job, has the id ${id}. Closed jobs are deleted after a week.`,
  );
}

const columns = {
  id: ({ id }: JobRow) => id,
  kind: ({ kind }: JobRow) => kind,
  state: stateOf,
  promised: ({ createdAt }: JobRow) => createdAt,
  due: ({ runAt }: JobRow) => runAt,
  for: (job: JobRow) => subjectIdOf(job),
};

function stateOf({ closedAt, runAt }: JobRow): string {
  if (closedAt !== null) return 'closed';
  return runAt > new Date() ? 'open, later' : 'open, due';
}

function shown(job: JobRow): Record<string, unknown> {
  return {
    ...pickFields(job, ['id', 'kind']),
    queue: isJobKind(job.kind) ? queueOfKind[job.kind] : null,
    state: job.closedAt === null ? 'open' : 'closed',
    subject_id: subjectIdOf(job),
    ...pickFields(job, ['createdAt', 'runAt', 'publishedAt', 'closedAt']),
  };
}

type Fields = Record<string, string | number | boolean | Date | null>;

/** The fields of a job's subject that operators see: its progress, but no texts and no personal addresses. */
function subjectFields(subject: JobSubject): Fields {
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
