/**
 * The reason why a process of the hub cannot start, explained to the operator: the problem, the setting, and
 * the fix.
 */

/** EX_CONFIG of sysexits.h: settings or arguments are wrong, so another start would end the same way. */
export const configurationExitCode = 78;
/** The cause lies outside the settings and may be gone on the next attempt. */
export const failedStartExitCode = 1;

export interface StartErrorOptions {
  /** A setting must change, so another start would fail the same way. */
  readonly isSetting?: boolean;
  readonly cause?: unknown;
}

/** The message is shown without a stack trace and contains no secret. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
  readonly exitCode: number;

  constructor(message: string, { isSetting = false, cause }: StartErrorOptions = {}) {
    super(message, { cause });
    this.exitCode = isSetting ? configurationExitCode : failedStartExitCode;
  }
}

/**
 * For `main.ts` files: returns the result of `work`, or exits with the message and exit code of its
 * StartError.
 */
export async function startOrExplain<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(error.exitCode);
  }
}
