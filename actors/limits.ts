/** The limits of the actor runtime. */

/** Commands waiting in one mailbox; further ones are refused. */
export const mailboxMax = 10_000;
/** Outstanding commands of one process; further ones are refused. */
export const asksMax = 20_000;
/** Commands of one actor in one transaction. */
export const batchMax = 256;
/** Commands of all actors in one transaction. */
export const transactionMax = 512;
/** Default time limit of a command; it is not handled afterwards. */
export const askTimeoutMs = 5_000;
/** Redis deletes a mailbox this long after its last command. By then every command in it has timed out. */
export const mailboxKeptMs = 120_000;
/**
 * Redis keeps the epoch of a mailbox this long; an activation renews it after half of that. Before it expires, every
 * command read under an older epoch has timed out.
 */
export const epochKeptMs = 240_000;
/** A read of a mailbox is recorded for the sweep at most once in this time. */
export const readAgainMs = 100;
/** Mailboxes to which one script call appends. */
export const appendedPerCallMax = 64;
/** Mailboxes that one script call reads, and the concurrent calls of a process. */
export const takenPerCallMax = 64;
export const takesMax = 16;
/** A process that has not registered for this long receives no direct wakes. It registers at each sweep. */
export const listenerKeptMs = 2_500;
/** How long an activation may run while others wait for a slot. */
export const activationTurnMs = 200;
/** After a batch of at least this size, an activation polls the mailbox a few more times before it ends. */
export const lingerFromMessages = 4;
export const lingerLooks = 8;
export const lingerPauseMs = 1;
/** A mailbox that has been neither empty nor read for this long may have lost its wake. */
export const wakeLostAfterMs = 1_000;
export const sweepEveryMs = 1_000;
/** Per shard of mailboxes. */
export const sweptPerShardMax = 8;
/** BullMQ itself waits for Redis without a limit. */
export const wakeTimeoutMs = 2_000;
/** With these, the actors of a killed or frozen worker are active again within about 4 seconds. */
export const lockMs = 3_000;
export const stalledCheckMs = 1_000;
/** Actors claimed in one transaction. */
export const claimedPerTransactionMax = 256;
/** Claims that a process remembers with their actors' states, to avoid claiming and reading at each activation. */
export const claimsKeptMax = 4_000;
