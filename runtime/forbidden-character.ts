/**
 * Names the character that a text field rejects, for error messages. Terminals and logs would not show the character.
 */

const controls = /[\p{Cc}\p{Cs}]/gu;

/** Completes "`field` must …"; empty if `text` is rejected for another reason than control characters. */
export function describeForbiddenCharacter(text: string, rule: string): string {
  if (!rule.includes('control characters')) return '';
  const allowed = rule.includes('newline') ? '\n\t' : '';
  const found = text.match(controls)?.find((character) => !allowed.includes(character));
  if (found === undefined) return '';
  const code = `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return `; it contains ${code}: ${remedyFor(found, allowed !== '')}`;
}

function remedyFor(character: string, isBlock: boolean): string {
  if (/\p{Cs}/u.test(character)) return 'send whole characters, not halves of a surrogate pair';
  if (character === '\r' && isBlock) return 'end lines with U+000A only';
  return /\s/.test(character) ? 'use a space instead' : 'remove it';
}
