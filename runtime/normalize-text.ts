/**
 * Unicode normalisation in linear time. Sorting the marks of one letter takes quadratic time: 24,000 of them block a
 * process for a second.
 */

/** The limit of the Stream-Safe Text Format, UAX #15, section 13. No language needs more marks on a letter. */
const marksMax = 30;

/** U+FF9E and U+FF9F are letters, but become marks. */
const longRunOfMarks = new RegExp(String.raw`[\p{M}\uff9e\uff9f]{${marksMax}}`, 'gu');

/** A mark that others are not sorted across. */
const graphemeJoiner = '\u034f';

/** Normalises a text. Nothing else may call `String.prototype.normalize`. */
export function normalizeText(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string {
  return text.replaceAll(longRunOfMarks, `$&${graphemeJoiner}`).normalize(form);
}
