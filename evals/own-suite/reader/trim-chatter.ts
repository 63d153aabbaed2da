/** Removes greetings from the front of a text, and offers, thanks and signatures from its end. */
import { isClosing, isSignOff, maxChatterLines } from './chatter.ts';

const greeting =
  /^(?:sure(?: thing)?|certainly|of course|absolutely|okay|ok|alright|all right|great(?: question)?|good question|got it|understood|no problem|hello|hi|hey(?: there)?|thanks(?: for (?:asking|the question))?|happy to help|right|well|ah|here (?:you|we) go|there you go|voilà|done|gladly|my pleasure)(?:[,!.:;]| [-—–]{1,2}(?= ))+[ ]+(?=[^ ])/iu;
const rule = /^(?:[-*_=~─—]{3,80}|`{3,8}|\* \* \*)$/;

export function trimChatter(text: string): string {
  const lines = text.trim().split('\n');
  let dropped = 0;
  while (lines.length > 1 && dropped < maxChatterLines && dropEnd(lines)) dropped += 1;
  const joined = lines.join('\n').trim().replace(greeting, '');
  return trimLastLine(joined);
}

/** Drops the last line if it says nothing; `lines` keeps at least one. */
function dropEnd(lines: string[]): boolean {
  const last = (lines.at(-1) ?? '').trim();
  const before = (lines.at(-2) ?? '').trim();
  const odd = rule.test(last) && (!last.startsWith('`') || !hasOpenFence(lines));
  const signed = isSignOff(before) && last.split(' ').length <= 4 && lines.length > 2;
  if (last !== '' && !odd && !signed && !isClosing(last)) return false;
  lines.pop();
  return true;
}

/** Whether the last line closes a fence that an earlier line opened. */
function hasOpenFence(lines: readonly string[]): boolean {
  return lines.join('\n').split('```').length % 2 === 1;
}

/** Removes offers and thanks that follow the answer on its line. */
function trimLastLine(text: string): string {
  let current = text;
  for (let cut = 0; cut < 4; cut += 1) {
    const line = current.slice(current.lastIndexOf('\n') + 1).slice(-400);
    const ends = [
      ...line.matchAll(/(?<=[.!?)*"'`\]}][*_"'`)]{0,3}|[\p{Extended_Pictographic}]) +(?=[^ ])/gu),
    ];
    const last = ends.findLast((end) => isClosing(line.slice(end.index + end[0].length)));
    if (last === undefined) return current;
    current = current.slice(0, current.length - line.length + last.index).trimEnd();
  }
  return current;
}
