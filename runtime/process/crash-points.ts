/**
 * Names the steps between an accepted request and its last effect. They do nothing by default. The tests in
 * `test/crash/` kill a process at each step to show that acknowledged work survives.
 */

export const crashPoints = [
  // The store, in any process: before and after each commit.
  'transaction.committing',
  'transaction.committed',
  // A request on its way through the API.
  'request.identified',
  'idempotency-key.claimed',
  'answer.stored',
  'request.answering',
  'redemptions.written',
  'ledger.written',
  'email.parsed',
  'email.written',
  'notices.written',
  'mails.written',
  // From the store to the queue, and from the queue to a worker.
  'jobs.announcing',
  'jobs.announced',
  'jobs.announced-again',
  'job.taken',
  'job.handled',
  // A command to an actor, there and back.
  'command.posting',
  'command.posted',
  'actor.waking',
  'actor.awake',
  'mailbox.read',
  'actors.loaded',
  'batch.written',
  'batch.committed',
  'batch.answered',
  'answer.received',
  // A run, from claim to settlement.
  'run.claimed',
  'target.calling',
  'reply.reading',
  'target.answered',
  'cases.written',
  'step.stored',
  'case.stored',
  'run.settling',
  'run.written',
  'run.settled',
  // A run in pull mode.
  'cases.handing-out',
  'answers.graded',
  'answers.written',
  // An email and a webhook on their way out.
  'mail.claimed',
  'mail.drafted',
  'mail.handed-over',
  'mail.settled',
  'webhook.calling',
  'webhook.answered',
  'webhook.recorded',
] as const;

export type CrashPoint = (typeof crashPoints)[number];

/** Registered by name, because the module that tests load into the compiled hub has its own copy of this one. */
const watcherKey = Symbol.for('agent-hub.crash-point-watcher');
const watched: typeof globalThis & { [watcherKey]?: (point: CrashPoint) => void } = globalThis;

/** Marks that the process passes a step. */
export function crashPoint(point: CrashPoint): void {
  watched[watcherKey]?.(point);
}

/** For tests: calls `watcher` at each step that this process passes. */
export function watchCrashPoints(watcher: (point: CrashPoint) => void): void {
  watched[watcherKey] = watcher;
}
