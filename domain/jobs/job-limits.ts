/** The times that announcing jobs turns on. */

/** A job is normally taken up within milliseconds; after this long it is worth asking whether the queue still knows it. */
export const announcedOldAfterMs = 15_000;
