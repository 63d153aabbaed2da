/** The kinds of work the hub does later: one map from kind to payload, and the queue each kind goes through. */
import type { Tables } from '#db/schema/make-schema.ts';
import type { Cause } from '#runtime/tracing/cause.ts';

/** Payloads carry ids, never secrets or bodies: Redis is not the place to keep them. */
export interface JobPayloads {
  'eval-run': Caused & { readonly evalJobId: string };
  mail: Caused & { readonly mailId: string };
  'webhook-delivery': Caused & { readonly deliveryId: string };
}

interface Caused {
  /** What asked for the job; kept in its row, so that it survives the loss of Redis. Left out, it is the context's. */
  readonly cause?: Cause | undefined;
}

export type JobKind = keyof JobPayloads;

/** Queue names, one a pool of workers. */
export const queueOfKind = {
  'eval-run': 'eval-runs',
  mail: 'mail',
  'webhook-delivery': 'webhooks',
} as const satisfies Record<JobKind, string>;

/** The field of the payload that names what a job is for. */
export const subjectOfKind = {
  'eval-run': 'evalJobId',
  mail: 'mailId',
  'webhook-delivery': 'deliveryId',
} as const satisfies { readonly [Kind in JobKind]: keyof JobPayloads[Kind] };

/** A row of a later version's kind waits for a process that knows it. */
export function isJobKind(kind: string): kind is JobKind {
  return Object.hasOwn(queueOfKind, kind);
}

export type JobRow = Tables['jobs']['$inferSelect'];

export type JobNotice = {
  [Kind in JobKind]: {
    /** The id of the row; the queue's job id is made of it, so that announcing twice is announcing once. */
    readonly id: string;
    readonly kind: Kind;
    readonly queue: (typeof queueOfKind)[Kind];
    readonly payload: JobPayloads[Kind];
    readonly runAt: Date;
  };
}[JobKind];

/** The way from a committed transaction to the other processes. Losing what it carries delays work, and loses none. */
export interface JobPublisher {
  /** Announces committed jobs to the workers. It may fail or do nothing: the pump announces open jobs again. */
  publish(notices: readonly JobNotice[]): void;
  /** Wakes those who follow `topic`; what happened they read from the store. */
  signal(topic: string): void;
}

/** Rows of kinds that this version does not know are left out. */
export function noticesOf(rows: readonly JobRow[]): readonly JobNotice[] {
  return rows.filter((row) => isJobKind(row.kind)).map(asNotice);
}

function asNotice(row: JobRow): JobNotice {
  const kind = row.kind as JobKind; // The caller has filtered by isJobKind.
  // Kind and payload were stored together by `enqueue`, whose signature ties them to each other.
  return { id: row.id, kind, queue: queueOfKind[kind], payload: row.payload, runAt: row.runAt } as JobNotice;
}

/** The id of the eval job, mail or delivery that a job is for; null for a kind that this version does not know. */
export function subjectIdOf({ kind, payload }: JobRow): string | null {
  if (!isJobKind(kind)) return null;
  // Stored by `enqueue`, whose signature ties payload and kind to each other.
  return (payload as Record<string, string>)[subjectOfKind[kind]] ?? null;
}

/**
 * What was announced came from a row of `enqueue`, but Redis is outside our walls.
 * @throws TypeError when the payload does not hold the id
 */
export function readSubjectId(kind: JobKind, payload: unknown): string {
  const field = subjectOfKind[kind];
  const id: unknown =
    typeof payload === 'object' && payload !== null ? Reflect.get(payload, field) : undefined;
  if (typeof id === 'string') return id;
  throw new TypeError(`The payload of a ${kind} job holds \`${field}\`.`);
}
