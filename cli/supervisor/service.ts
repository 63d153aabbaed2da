/** What the supervisor keeps running: a process of the hub, or its private Redis. */

export interface Service {
  /** As it appears in the log. */
  readonly name: string;
  /** Starts it once. @throws FatalStartError when starting again would end the same way */
  start(): Promise<RunningService>;
}

export interface RunningService {
  /** Resolves when it serves; rejects when it ends before that, with `FatalStartError` if it said so itself. */
  readonly ready: Promise<void>;
  /** Resolves with a description, such as `exit code 1`, when it has ended for whatever reason. */
  readonly ended: Promise<string>;
  /** Ends it in order, after its deadline by force. Resolves when it is gone. */
  stop(): Promise<void>;
  /** Ends it at once. */
  kill(): void;
}

/** The hub cannot start this way. The message is for the operator, and empty when the process has said it all. */
export class FatalStartError extends Error {
  override readonly name = 'FatalStartError';
}
