/** The rows of events, seats and waitlists as the store gives them. */
import type { Tables } from '#db/schema/make-schema.ts';

export type EventRow = Tables['events']['$inferSelect'];
export type SeatRow = Tables['seats']['$inferSelect'];
export type WaitlistRow = Tables['waitlistEntries']['$inferSelect'];
