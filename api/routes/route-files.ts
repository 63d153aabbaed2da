/**
 * The route files. Every list of endpoints exported here is registered, so a new route file needs one line.
 */
export * from './agent-badge.ts';
export * from './agent-sign-up.ts';
export * from './agent-tokens.ts';
export * from './agents.ts';
export * from './calendar.ts';
export * from './contact.ts';
export * from './discovery.ts';
export * from './eval-jobs.ts';
export * from './event-meetings.ts';
export * from './event-seats.ts';
export * from './events.ts';
export * from './health.ts';
export * from './inbox.ts';
export * from './operation.ts';
export * from './payments.ts';
export * from './queue-board.ts';
export * from './redemptions.ts';
export * from './reputation.ts';
export * from './skills.ts';
export * from './supporters.ts';
export * from './threads.ts';
export * from './tokens.ts';
export * from './verification.ts';
export * from './webhooks.ts';
export * from './work-orders.ts';
