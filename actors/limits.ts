/** The bounds of the actor runtime, in one place. */

/** Commands that may wait in one mailbox; one more is refused. */
export const mailboxMax = 10_000;
/** Commands that one process may have under way. */
export const asksMax = 20_000;
/** Commands of one actor that are handled in one transaction. */
export const batchMax = 256;
/** Commands of all actors that share a transaction. */
export const transactionMax = 512;
/** How long a command may take unless its sender says otherwise; nobody handles it later. */
export const askTimeoutMs = 5_000;
/** A mailbox that nothing was put into for so long holds nothing that anybody waits for. */
export const mailboxKeptMs = 120_000;
/** How long an activation may run while others wait for a place. */
export const activationTurnMs = 200;
/** An activation that has handled this many at once looks again a few times before it ends. */
export const lingerFromLetters = 4;
export const lingerLooks = 8;
export const lingerPauseMs = 1;
/** A mailbox that was never emptied for so long may have lost its wake. */
export const wakeLostAfterMs = 1_000;
export const sweepEveryMs = 1_000;
export const sweptAtOnceMax = 200;
/** BullMQ itself would wait for ever for a Redis that is away. */
export const wakeTimeoutMs = 2_000;
/** With these the actors of a worker that was killed or stopped are active again within about 4 seconds. */
export const lockMs = 3_000;
export const stalledCheckMs = 1_000;
