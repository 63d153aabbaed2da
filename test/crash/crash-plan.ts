/** The points at which each process of the hub can die, and the order in which a run visits them. */
import type { Dialect } from '#db/dialect.ts';
import type { CrashPoint } from '#runtime/process/crash-points.ts';
import type { Random } from '#evals/random.ts';

export interface Death {
  readonly point: CrashPoint;
  /** The process dies the nth time it passes the point. */
  readonly onPass: number;
  /** It first passes this many points of any name, so that it has done some work. */
  readonly afterSteps: number;
}

/**
 * The stores of a test. `npm run test:long` runs one of them, because both run the same verbs, and the main crash test runs
 * both; `npm run long -- crash` runs all on both.
 */
export const storesOf = (short: Dialect): readonly Dialect[] =>
  process.env['CRASH_KILLS'] === undefined ? [short] : ['sqlite', 'postgres'];

export const roles = ['api', 'workers'] as const;
export type Role = (typeof roles)[number];

/** The processes that pass each point. The type makes a new point a compile error here. */
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
  'reply.reading': ['workers'],
  'target.answered': ['workers'],
  'cases.written': ['workers'],
  'step.stored': ['workers'],
  'case.stored': ['workers'],
  'run.settling': ['workers'],
  'run.written': ['api', 'workers'],
  'run.settled': ['workers'],
  'cases.handing-out': ['api'],
  'answers.graded': ['api'],
  'answers.written': ['api'],
  'mail.claimed': ['workers'],
  'mail.drafted': ['workers'],
  'mail.handed-over': ['workers'],
  'mail.settled': ['workers'],
  'webhook.calling': ['workers'],
  'webhook.answered': ['workers'],
  'webhook.recorded': ['workers'],
};

/** An email whose worker died is retried after 35 seconds, which is too long for a short run. */
export function isAboutMail(point: CrashPoint): boolean {
  return point.startsWith('mail.') || point === 'mails.written';
}

/** Points passed at most a few times a second, because they need a run, an email or an active actor. */
const rare =
  /^(answers|cases|redemptions|email|notices|jobs?|run|webhook|actors?|mailbox|batch|command|answer)\./;
const passesMax = { once: 1, rare: 4, frequent: 80 };

export interface DeathPlan {
  readonly isPlanned: (point: CrashPoint) => boolean;
  readonly afterStepsMax: number;
  /** Upper bound of `Death.onPass` at any point. */
  readonly onPassMax: number;
}

/** Yields all points of a role, round after round, each round in a new order. */
export function* deathsOf(
  role: Role,
  random: Random,
  { isPlanned, afterStepsMax, onPassMax }: DeathPlan,
): Generator<Death> {
  const points = (Object.keys(rolesOfPoint) as CrashPoint[]).filter(
    (point) => rolesOfPoint[point].includes(role) && isPlanned(point),
  );
  for (;;) {
    for (const point of random.shuffle(points)) {
      const onPass = random.int(1, Math.min(onPassMax, passesMaxOf(point)));
      yield { point, onPass, afterSteps: random.int(0, afterStepsMax) };
    }
  }
}

function passesMaxOf(point: CrashPoint): number {
  if (point === 'jobs.announced-again' || isAboutMail(point)) return passesMax.once;
  return rare.test(point) ? passesMax.rare : passesMax.frequent;
}
