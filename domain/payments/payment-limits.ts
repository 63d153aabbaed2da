/** A delivery is only valid for five minutes, so one this old cannot come again; until then its id is known. */
export const keepReceiptsMs = 90 * 24 * 60 * 60 * 1_000;
export const receiptsPrunedAtOnceMax = 1_000;
