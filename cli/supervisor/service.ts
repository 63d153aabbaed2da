/** What the supervisor keeps running: a process of the hub, or its private Redis. */

export interface Service {
  /** As it appears in the log. */
  readonly name: string;
  /** Starts it once. @throws StartError when starting again would end the same way */
  start(): Promise<RunningService>;
}

export interface RunningService {
  /** Resolves when it serves; rejects when it ends before that, with a `StartError` without a message if it has said itself why it cannot start. */
  readonly ready: Promise<void>;
  /** Resolves with a description, such as `exit code 1`, when it has ended for whatever reason. */
  readonly ended: Promise<string>;
  /** Ends it in order, after its deadline by force. Resolves when it is gone. */
  stop(): Promise<'in order' | 'by force'>;
  /** Ends it at once. */
  kill(): void;
}
