/** The kinds of deferred work: one map from kind to payload, and the queue of each kind. */
import type { Tables } from '#db/schema/make-schema.ts';
import type { Cause } from '#runtime/tracing/log.ts';

/** Payloads contain only ids, because Redis must not hold secrets or message bodies. */
export interface JobPayloads {
  run: Caused & { readonly runId: string };
  mail: Caused & { readonly mailId: string };
  'webhook-delivery': Caused & { readonly deliveryId: string };
}

interface Caused {
  /**
   * The trace that requested the job. It is stored in the job row, so it survives the loss of Redis. Defaults
   * to the context's.
   */
  readonly cause?: Cause | undefined;
}

export type JobKind = keyof JobPayloads;

/** Queue names. Each queue belongs to one worker pool. */
export const queueOfKind = {
  run: 'eval-runs',
  mail: 'mail',
  'webhook-delivery': 'webhooks',
} as const satisfies Record<JobKind, string>;

/** The payload field that holds the id of the job's subject. */
export const subjectOfKind = {
  run: 'runId',
  mail: 'mailId',
  'webhook-delivery': 'deliveryId',
} as const satisfies { readonly [Kind in JobKind]: keyof JobPayloads[Kind] };

/** Rows of kinds added by a later version wait for a process that knows them. */
export function isJobKind(kind: string): kind is JobKind {
  return Object.hasOwn(queueOfKind, kind);
}

export type JobRow = Tables['jobs']['$inferSelect'];

export type JobNotice = {
  [Kind in JobKind]: {
    /** The id of the row. The queue's job id is derived from it, so announcing a job twice has no effect. */
    readonly id: string;
    readonly kind: Kind;
    readonly queue: (typeof queueOfKind)[Kind];
    readonly payload: JobPayloads[Kind];
    readonly runAt: Date;
  };
}[JobKind];

/** Notifies other processes after a commit. A lost notification only delays work. */
export interface JobPublisher {
  /** Announces committed jobs to the workers. May fail or do nothing: the outbox relay announces open jobs again. */
  publish(notices: readonly JobNotice[]): void;
  /** Wakes subscribers of `topic`, which then read the new state from the store. */
  signal(topic: string): void;
}

/** Converts job rows to notices. Rows of kinds unknown to this version are left out. */
export function noticesOf(rows: readonly JobRow[]): readonly JobNotice[] {
  return rows.filter((row) => isJobKind(row.kind)).map(asNotice);
}

function asNotice(row: JobRow): JobNotice {
  const kind = row.kind as JobKind; // The caller has filtered with isJobKind.
  // `enqueue` stored kind and payload together, and its signature ties them to each other.
  return { id: row.id, kind, queue: queueOfKind[kind], payload: row.payload, runAt: row.runAt } as JobNotice;
}

/** The id of the run, mail or delivery that a job is for; null for a kind unknown to this version. */
export function subjectIdOf({ kind, payload }: JobRow): string | null {
  if (!isJobKind(kind)) return null;
  // `enqueue` stored it, and its signature ties payload and kind to each other.
  return (payload as Record<string, string>)[subjectOfKind[kind]] ?? null;
}

/**
 * Reads the subject's id from a payload that came through Redis, which is not trusted.
 * @throws TypeError if the payload does not contain the id
 */
export function readSubjectId(kind: JobKind, payload: unknown): string {
  const field = subjectOfKind[kind];
  const id: unknown =
    typeof payload === 'object' && payload !== null ? Reflect.get(payload, field) : undefined;
  if (typeof id === 'string') return id;
  throw new TypeError(`The payload of a ${kind} job must contain \`${field}\`.`);
}

/** The queue that wakes actors. Its jobs are not rows of the jobs table: a lost wake is sent again. */
export const wakeQueue = 'actor-wakes';

/**
 * Every queue of the hub.
 * The queues of jobs first.
 */
export const queueNames: readonly string[] = [...new Set<string>(Object.values(queueOfKind)), wakeQueue];

/** The kinds of jobs in a queue; none for the queue of wakes. */
export function kindsOfQueue(queueName: string): readonly JobKind[] {
  // `queueOfKind` has exactly the kinds as keys.
  return (Object.keys(queueOfKind) as JobKind[]).filter((kind) => queueOfKind[kind] === queueName);
}
