/** How a process of the hub says why it ended, where the supervisor or the operator has to know. */

/** EX_CONFIG of sysexits.h: settings or arguments are wrong, so starting again would end the same way. */
export const configurationExitCode = 78;
/** Something outside the settings keeps the hub from starting, and may have been mended by the next try. */
export const failedStartExitCode = 1;
