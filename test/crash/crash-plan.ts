/** Where each process of the hub can die, and in which order a run has it do so. */
import type { CrashPoint } from '#runtime/process/crash-points.ts';
import type { Random } from '#domain/eval-suite/random.ts';

export interface Death {
  readonly point: CrashPoint;
  /** Which time it is passed. */
  readonly onPass: number;
  /** So many points of any name are passed before passes count, so that it has worked for a while. */
  readonly afterSteps: number;
}

export const roles = ['api', 'workers'] as const;
export type Role = (typeof roles)[number];

/** Which of the two processes pass a point. Typed by the points, so that a new one cannot be forgotten. */
export interface Death {
  readonly point: CrashPoint;
  /** Which time it is passed. */
  readonly onPass: number;
  /** So many points of any name are passed before passes count, so that it has worked for a while. */
  readonly afterSteps: number;
}

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
  return point.startsWith('mail.') || point === 'mails.written';
}

/** A process passes these a few times a second at best, as they take runs, mails or actors that are awake; the others often. */
const seldom = /^(redemptions|email|notices|jobs?|run|webhook|actors?|mailbox|batch|command|answer)\./;
const passesMax = { once: 1, seldom: 4, often: 80 };

export interface DeathPlan {
  readonly isWanted: (point: CrashPoint) => boolean;
  readonly afterStepsMax: number;
}

/** All points of a role in an order drawn anew for each round. */
export function* deathsOf(
  role: Role,
  random: Random,
  { isWanted, afterStepsMax }: DeathPlan,
): Generator<Death> {
  const points = (Object.keys(rolesOfPoint) as CrashPoint[]).filter(
    (point) => rolesOfPoint[point].includes(role) && isWanted(point),
  );
  for (;;) {
    for (const point of random.shuffle(points)) {
      yield { point, onPass: random.int(1, passesMaxOf(point)), afterSteps: random.int(0, afterStepsMax) };
    }
  }
}

function passesMaxOf(point: CrashPoint): number {
  if (point === 'jobs.announced-again' || isAboutMail(point)) return passesMax.once;
  return seldom.test(point) ? passesMax.seldom : passesMax.often;
}
