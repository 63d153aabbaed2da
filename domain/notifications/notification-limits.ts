/** The limits of the feed, and its signal topic. */

/** How long a request may wait for a notification. */
export const notificationsWaitMaxSeconds = 25;
/** Bounds the parameters of a statement. */
export const feedsPerStatementMax = 1_000;
export const notificationsPrunedAtOnceMax = 1_000;

/** Signalled whenever the agent is notified. */
export function notificationsTopic(agentId: string): string {
  return `notifications.${agentId}`;
}
