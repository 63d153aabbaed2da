/** The samples of a soak, written to its file as one line of JSON each. */
import type { ResponseWindow } from '#test/workload/witness.ts';

export interface ProcessSample {
  readonly rssMb: number;
  readonly pssMb: number;
  /** From its metrics; null for a process that is not the hub's. */
  readonly heapMb: number | null;
  /** Open file descriptors, including sockets. */
  readonly files: number;
}

export interface QueueSample {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
  /** Open rows of the jobs table; 0 for the queue whose jobs are not in it. */
  readonly open: number;
}

export interface RedisSample {
  readonly memoryMb: number;
  /** BullMQ's event logs, each trimmed to about ten thousand entries. */
  readonly eventLogsMb: number;
  readonly keys: number;
  /** By key name without the ids of agents, jobs and processes. */
  readonly keysByKind: Readonly<Record<string, number>>;
  readonly connections: number;
}

export interface StoreSample {
  readonly sizeMb: number;
  /** The write-ahead log of SQLite; 0 on Postgres. */
  readonly logMb: number;
  /** Connections to Postgres; 0 on SQLite. */
  readonly connections: number;
}

export interface SoakSample {
  /** Since the start of the load. */
  readonly atMs: number;
  readonly processes: Readonly<Record<string, ProcessSample>>;
  readonly queues: Readonly<Record<string, QueueSample>>;
  /** Actors with commands in their mailbox. */
  readonly mailboxes: number;
  readonly redis: RedisSample;
  readonly store: StoreSample;
  readonly responses: ResponseWindow;
  /** The 1-minute load average of the machine. */
  readonly machineLoad: number;
}
