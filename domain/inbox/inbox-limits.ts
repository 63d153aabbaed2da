/** Limits of incoming email. It comes from strangers, so every part is bounded before it is stored. */

/** The size of a whole email. */
export const emailBytesMax = 10 * 1024 * 1024;

/** Stored lengths in code points. Longer texts are truncated and marked. */
export const emailTextLengthMax = 100_000;
export const emailHeaderLengthMax = 1_000;
export const recipientsLengthMax = 4_000;
export const attachmentNameLengthMax = 255;
export const attachmentsListedMax = 100;

/** Maximum number of SMTP recipients per email. RFC 5321 section 4.5.3.1.8 requires at least this many. */
export const recipientsMax = 100;

/** Limits of MIME parsing. An email that exceeds them is stored as plain text. */
export const mimeNestingMax = 64;
export const mimeHeaderBytesMax = 256 * 1024;
/** Lines that look like a part boundary. Parsing a million empty parts would take many seconds. */
export const mimeBordersMax = 10_000;
/**
 * Three times the number of lines in 10 MiB of base64. Ten million empty lines would take five seconds of CPU
 * time and two gigabytes of memory.
 */
export const mimeLinesMax = 400_000;
/** How much HTML is converted to text, in UTF-16 units. Deeply nested tags take quadratic time. */
export const htmlLengthMax = 200_000;
