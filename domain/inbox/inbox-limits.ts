/** Every limit of mail that comes in. Strangers send it, so each part of it is bounded before it is kept. */

/** The whole mail as it comes (decisions.md section 7). */
export const emailBytesMax = 10 * 1024 * 1024;

/** What is kept, in code points; longer texts are cut and say so. */
export const emailTextLengthMax = 100_000;
export const emailHeaderLengthMax = 1_000;
export const recipientsLengthMax = 4_000;
export const attachmentNameLengthMax = 255;
export const attachmentsListedMax = 100;

/** How many recipients SMTP takes for one mail; no server takes fewer (RFC 5321 section 4.5.3.1.8). */
export const recipientsMax = 100;

/** What is read by the rules of MIME; a mail beyond them is kept as plain text. */
export const mimeNestingMax = 64;
export const mimeHeaderBytesMax = 256 * 1024;
/** Lines that begin like the border of a part. Reading a million empty parts would take many seconds. */
export const mimeBordersMax = 10_000;
/**
 * Three times as many lines as 10 MiB of base64 have. Ten million empty lines would take five seconds of a processor and two
 * gigabytes of memory.
 */
export const mimeLinesMax = 400_000;
/** How much of an HTML text is turned into plain text, in UTF-16 units; tags nested without end take quadratic time. */
export const htmlLengthMax = 200_000;
