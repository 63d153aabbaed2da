/** The grammar of each answer type. */
import type { AnswerType, Parse, ReadOptions } from './answer.ts';
import { parseDate } from './parse-date.ts';
import { digitsParser } from './parse-digits.ts';
import { parseItems } from './parse-items.ts';
import { numberParser } from './parse-number.ts';
import { parseWord } from './parse-word.ts';

const maxLineCharacters = 16_384;
const nothing =
  /^(?:none|nobody|no one|no-one|nothing|empty|(?:the )?empty (?:set|list)|∅|\{ ?\}|\[ ?\]|\\emptyset|\\varnothing)$/i;

export function parserOf(type: AnswerType, options: ReadOptions): Parse {
  switch (type) {
    case 'number':
      return numberParser(options.units ?? []);
    case 'word':
      return parseWord;
    case 'list':
      return (text) => parseItems(text, false);
    case 'set':
      return (text) => (nothing.test(text) ? [] : parseItems(text, true));
    case 'date':
      return parseDate;
    case 'time':
      return parseTime;
    case 'digits':
      return digitsParser(options.base);
    case 'line':
      return (text) => (text === '' || text.includes('\n') || text.length > maxLineCharacters ? null : text);
  }
}

const clock =
  /^(?:at )?(\d{1,2}) ?[:.h] ?(\d{2})(?::00)? ?(am|pm|a\.m|p\.m|a\.m\.|p\.m\.)?(?: ?(?:h|hrs?|hours?|uhr|o'clock))?(?: \(?24-?(?:h|hour)(?: clock)?\)?)?$/;
const hourOnly = /^(?:at )?(\d{1,2}) ?(am|pm|a\.m\.?|p\.m\.?)$/;
const military = /^(\d{2})(\d{2}) ?(?:h|hrs|hours)$/;

/** One time of day on the 24-hour or the 12-hour clock. A time zone counts as another unit and is rejected. */
function parseTime(text: string): string | null {
  if (text.length > 40) return null;
  const lowered = text.toLowerCase().trim();
  if (/^(?:12(?::00)? )?noon$/.test(lowered)) return '12:00';
  if (/^(?:12(?::00)? )?midnight$/.test(lowered)) return '00:00';
  const full = clock.exec(lowered) ?? military.exec(lowered);
  if (full !== null) return timeOf(Number(full[1]), full[2] ?? '', full[3] ?? '');
  const hour = hourOnly.exec(lowered);
  return hour === null ? null : timeOf(Number(hour[1]), '00', hour[2] ?? '');
}

function timeOf(hour: number, minute: string, half: string): string | null {
  if (hour > 23 || Number(minute) > 59) return null;
  if (half === '') return `${String(hour).padStart(2, '0')}:${minute}`;
  const afternoon = half.startsWith('p');
  if (hour === 0 || (hour > 12 && !afternoon)) return null;
  const onClock = hour > 12 ? hour : (hour % 12) + (afternoon ? 12 : 0);
  return `${String(onClock).padStart(2, '0')}:${minute}`;
}
