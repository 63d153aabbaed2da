/** The grammar of each answer type. */
import type { AnswerType, Parse, ReadOptions } from './answer.ts';
import { parseDate } from './parse-date.ts';
import { digitsParser } from './parse-digits.ts';
import { parseItems } from './parse-items.ts';
import { numberParser } from './parse-number.ts';
import { parseTime } from './parse-time.ts';
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
