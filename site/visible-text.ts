/**
 * Replaces characters that reorder, hide or control text with their code. It runs over the whole text of a page or
 * feed, so that no part can forget it, and over the texts that fill a page later.
 */
import { randomUUID } from 'node:crypto';
import { isControlCharacter, nameOfCharacter } from '#evals/safe-text.ts';

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
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(suspects, (character) => {
    const isMarked = isHidden(character) || /\p{Cs}/u.test(character);
    return isMarked ? nameOfCharacter(character) : character;
  });
}

function isHidden(character: string): boolean {
  return isControlCharacter(character) || invisible.test(character);
}

/** Nobody knows it, because every page has it replaced. */
const mark = randomUUID();
const marked = new RegExp(`${mark}([0-9a-f]+);`, 'g');

/** The value of a form control, with marks in place of hidden characters: the form must send what the store has. */
export function controlValue(value: string): string {
  if (plain.test(value)) return value;
  return value.replaceAll(suspects, (character) =>
    isHidden(character) ? `${mark}${(character.codePointAt(0) ?? 0).toString(16)};` : character,
  );
}

/** Writes the hidden characters of form controls as character references, after `visibleText` has run over the page. */
export function withControlValues(html: string): string {
  if (!html.includes(mark)) return html;
  return html.replaceAll(marked, (_, hex: string) => {
    const codePoint = Number.parseInt(hex, 16);
    // HTML reads references to these as characters of Windows-1252.
    const isRaw = codePoint >= 0x80 && codePoint < 0xa0;
    return isRaw ? String.fromCodePoint(codePoint) : `&#x${hex};`;
  });
}
