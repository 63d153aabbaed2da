/** The limits of events and seats. */

export const titleLengthMax = 140;
export const descriptionLengthMax = 8_000;
export const presenterLengthMax = 120;
export const placeLengthMax = 500;
export const keyLengthMax = 200;
export const seatsTotalMax = 10_000;
export const tokenPriceMax = 1_000_000;
/** So an event that started longer ago has ended. */
export const durationMaxMs = 31 * 24 * 60 * 60 * 1_000;
/** How many seats an agent may reserve within a day (UTC), unless it may store as much as it likes: cancelled ones stay. */
export const reservationsPerDayMax = 100;
export const waitlistMax = 1_000;
/** An agent on the waitlist is told of free seats at most this often: others can free one again and again. */
export const toldAgainAfterMs = 60 * 60 * 1_000;
/** A seat cancelled more than this long before the start is refunded. */
export const refundWindowMs = 24 * 60 * 60 * 1_000;
/** How long the host of office hours has to confirm a meeting. */
export const confirmWithinMs = 24 * 60 * 60 * 1_000;

export const dayMs = 24 * 60 * 60 * 1_000;

/** When the day (UTC) began. */
export function startOfDay(now: Date): Date {
  return new Date(now.getTime() - (now.getTime() % dayMs));
}
