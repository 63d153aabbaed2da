/** The messages between the benchmark and the process of the load generator. */

/** One round of load. */
export interface LoadOrder {
  readonly port: number;
  readonly connections: number;
  /** Requests one after the other, all of the same length. */
  readonly requestsFile: string;
  readonly requestBytes: number;
  /** Whether to start over after the last request; otherwise the round ends there. */
  readonly repeat: boolean;
  readonly maxMs: number;
}

export interface LoadReport {
  /** Successful responses within the round. */
  readonly answered: number;
  readonly elapsedMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Other responses, and broken connections. */
  readonly faults: number;
  readonly firstFault: string | null;
  /** Of the load generator. Near the elapsed time, the round measures the load generator. */
  readonly cpuMs: number;
}
