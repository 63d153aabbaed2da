/** Why a process of the hub cannot start, in words for the operator: what is wrong, which setting it is, what to do. */

/** EX_CONFIG of sysexits.h: settings or arguments are wrong, so another start would end the same way. */
export const configurationExitCode = 78;
/** Something outside the settings prevents the start, and may be gone at the next try. */
export const failedStartExitCode = 1;

export interface StartErrorOptions {
  /** A setting has to be changed, so that starting again would end the same way. */
  readonly isSetting?: boolean;
  readonly cause?: unknown;
}

/** The message stands alone: no stack trace is shown with it, and it holds no secret. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
  readonly exitCode: number;

  constructor(message: string, { isSetting = false, cause }: StartErrorOptions = {}) {
    super(message, { cause });
    this.exitCode = isSetting ? configurationExitCode : failedStartExitCode;
  }
}

/** For `main.ts` files: gives what `work` gives, or ends the process with the message and exit code of its StartError. */
export async function startOrExplain<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(error.exitCode);
  }
}
