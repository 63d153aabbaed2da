/**
 * Replaces characters that reorder, hide or control text with their code. It runs over the whole text of a page or
 * feed, so that no part can forget it, and over the texts that fill a page later.
 */
import { isControlCharacter, nameOfCodePoint } from '#evals/safe-text.ts';

/** Characters that no page needs and that a reader cannot see. Joiners are kept, because scripts and emoji use them. */
const suspects =
  /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;
/** Most texts consist of these and need no closer look. */
const plain =
  /^[\t\n -~\u00a0-\u061b\u061d-\u200a\u200c\u2010-\u2027\u202f-\u205f\u2070-\ud7ff\ue000-\ufefe\uff00-\uffff]*$/;
const invisible = /[\u061c\u200b\u2060-\u2065\u206a-\u206f]/u;

/** `text` with each such character replaced by its code, such as `[U+202E]`. */
export function visibleText(text: string): string {
  if (plain.test(text)) return text;
  return text.replaceAll(suspects, (character) => {
    if (character === '\r') return '\n';
    const codePoint = character.codePointAt(0) ?? 0;
    const isMarked = isControlCharacter(codePoint) || invisible.test(character) || /\p{Cs}/u.test(character);
    return isMarked ? nameOfCodePoint(codePoint) : character;
  });
}
