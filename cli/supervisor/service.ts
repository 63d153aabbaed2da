/** Something the supervisor keeps running: a process of the hub, or its private Redis. */

export interface Service {
  /** The name in the log. */
  readonly name: string;
  /** Starts it once. @throws StartError when another start would fail the same way */
  start(): Promise<RunningService>;
}

export interface RunningService {
  /**
   * Resolves when it is ready. Rejects if it ends before that, with an empty `StartError` if it has printed
   * the reason.
   */
  readonly ready: Promise<void>;
  /** Resolves when it has ended for any reason, with a description such as `exit code 1`. */
  readonly ended: Promise<string>;
  /** Stops it in order, or by force after its deadline. Resolves when it has ended. */
  stop(): Promise<'in order' | 'by force'>;
  /** Kills it at once. */
  kill(): void;
}
