/** What the benchmark and its load generator, a process of its own, say to each other. */

/** One round of load. */
export interface LoadOrder {
  readonly port: number;
  readonly connections: number;
  /** Requests ready to be sent, one after the other, all of the same length. */
  readonly requestsFile: string;
  readonly requestBytes: number;
  /** Whether to start over once all were sent; otherwise the round ends with the last of them. */
  readonly repeat: boolean;
  readonly maxMs: number;
}

export interface LoadReport {
  /** Answers with a status of success within the round. */
  readonly answered: number;
  readonly elapsedMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Whole answers with another status, and connections that broke. */
  readonly faults: number;
  /** The first of them, to be looked at. */
  readonly firstFault: string | null;
  /** Of the load generator itself: when it nears the elapsed time, it is the load that is measured. */
  readonly cpuMs: number;
}
