/** How a process of the hub says why it ended, where the supervisor has to know. */

/** EX_CONFIG of sysexits.h: settings or arguments are wrong, so starting again would end the same way. */
export const CONFIGURATION_EXIT_CODE = 78;
