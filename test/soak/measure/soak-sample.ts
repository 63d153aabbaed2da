import type { ResponseWindow } from '#test/workload/witness.ts';
/** What a soak writes down again and again, one line of JSON each time. */

export interface ProcessSample {
  readonly rssMb: number;
  readonly pssMb: number;
  /** What its objects take, as it tells itself; null for a process that is not the hub's. */
  readonly heapMb: number | null;
  /** Open files, sockets among them. */
  readonly files: number;
}

export interface QueueSample {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
  /** Rows that are promised and not yet done; 0 for the queue whose jobs are in no table. */
  readonly open: number;
}

export interface RedisSample {
  readonly memoryMb: number;
  /** Of it, the queues' own logs of their events, of which each is cut at some ten thousand lines. */
  readonly eventLogsMb: number;
  readonly keys: number;
  /** By what a key is for, which is its name without what is of one agent, job or process. */
  readonly keysByKind: Readonly<Record<string, number>>;
  readonly connections: number;
}

export interface StoreSample {
  readonly sizeMb: number;
  /** The write-ahead log of SQLite; 0 on Postgres, whose log is its own business. */
  readonly logMb: number;
  /** Of Postgres; 0 on SQLite. */
  readonly connections: number;
}

export interface SoakSample {
  /** Since the load began. */
  readonly atMs: number;
  readonly processes: Readonly<Record<string, ProcessSample>>;
  readonly queues: Readonly<Record<string, QueueSample>>;
  /** Actors that have mail. */
  readonly mailboxes: number;
  readonly redis: RedisSample;
  readonly store: StoreSample;
  readonly responses: ResponseWindow;
  readonly inFlight: number;
  /** How many processes wanted a processor in the last minute, the hub's among them. */
  readonly machineLoad: number;
}
