/** Where each process of the hub can die, and in which order a run has it do so. */
import type { CrashPoint } from '#runtime/crash-points.ts';
import type { Random } from '#domain/eval-suite/random.ts';

export type Role = 'api' | 'workers';

/** Which of the two processes pass a point. Typed by the points, so that a new one cannot be forgotten. */
export const rolesOfPoint: Readonly<Record<CrashPoint, readonly Role[]>> = {
  'transaction.committing': ['api', 'workers'],
  'transaction.committed': ['api', 'workers'],
  'request.identified': ['api'],
  'idempotency-key.claimed': ['api'],
  'answer.stored': ['api'],
  'request.answering': ['api'],
  'redemptions.written': ['api'],
  'ledger.written': ['api', 'workers'],
  'email.parsed': ['api'],
  'email.written': ['api'],
  'notices.written': ['api', 'workers'],
  'mails.written': ['workers'],
  'jobs.announcing': ['api', 'workers'],
  'jobs.announced': ['api', 'workers'],
  'jobs.announced-again': ['workers'],
  'job.taken': ['workers'],
  'job.handled': ['workers'],
  'command.posting': ['api'],
  'command.posted': ['api'],
  'actor.waking': ['api'],
  'actor.awake': ['workers'],
  'mailbox.read': ['workers'],
  'actors.loaded': ['workers'],
  'batch.written': ['workers'],
  'batch.committed': ['workers'],
  'batch.answered': ['workers'],
  'answer.received': ['api'],
  'run.claimed': ['workers'],
  'target.calling': ['workers'],
  'target.answered': ['workers'],
  'cases.written': ['workers'],
  'case.stored': ['workers'],
  'run.settling': ['workers'],
  'run.written': ['workers'],
  'run.settled': ['workers'],
  'mail.claimed': ['workers'],
  'mail.drafted': ['workers'],
  'mail.handed-over': ['workers'],
  'mail.settled': ['workers'],
  'webhook.calling': ['workers'],
  'webhook.answered': ['workers'],
  'webhook.recorded': ['workers'],
};

/** A mail whose worker died waits for half a minute before it is tried again, which a short run cannot. */
export function isAboutMail(point: CrashPoint): boolean {
  return point.startsWith('mail');
}

/** A process passes these a few times a second at best, as they take runs, mails or actors that are awake; the others often. */
const seldom = /^(redemptions|email|notices|mails?|jobs?|run|webhook|actors?|mailbox|batch|command|answer)\./;
const passesMax = { seldom: 4, often: 80 };

/** All points of a role in an order drawn anew for each round. */
export function* deathsOf(role: Role, random: Random, isWanted: (point: CrashPoint) => boolean) {
  const points = (Object.keys(rolesOfPoint) as CrashPoint[]).filter(
    (point) => rolesOfPoint[point].includes(role) && isWanted(point),
  );
  for (;;) {
    for (const point of random.shuffle(points)) yield { point, onPass: random.int(1, passesMaxOf(point)) };
  }
}

function passesMaxOf(point: CrashPoint): number {
  return seldom.test(point) ? passesMax.seldom : passesMax.often;
}
