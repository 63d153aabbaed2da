import { isSuspended, type Suspendable } from '../agents/suspension.ts';

/**
 * The webhooks of a suspended agent receive nothing, except for the notice of the suspension itself. Whatever happens
 * in the meantime is in the agent's feed.
 */
export function isPaused(suspension: Suspendable, kind: string, now: Date): boolean {
  return kind !== 'moderation.suspended' && isSuspended(suspension, now);
}
