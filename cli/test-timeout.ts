/** How long a test or a hook may take unless it says otherwise; generous, as another process may have the machine. */
export const testTimeoutMs = 60_000;
