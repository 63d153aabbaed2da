/**
 * What software does to texts on their way to an agent or back. Each rewrite is tried on a text that the agent was to
 * copy: if the reply is what comes of it, that is what happened.
 */
import { normalizeText } from '#runtime/normalize-text.ts';

export interface Rewrite {
  /** The first sentence of a report. */
  readonly sentence: string;
  readonly look_at: string;
  readonly apply: (text: string) => string;
}

const templates =
  'Look for a template engine or a string format that the prompt or the reply passes through.';
const markup = 'Look for code that renders, sanitises or strips markup.';
const spaces = 'Look for code that trims, joins or collapses white space.';
const encodings = 'Look at the encodings in both directions: everything must be UTF-8.';
const escaping = 'Look for text that is escaped or unescaped once too often.';
const numbers =
  'Look for code that parses text as numbers or dates, such as a spreadsheet, a data frame or a locale format.';
const lists = 'Look for code that puts items into a set or sorts them.';

const rewrite = (sentence: string, look_at: string, apply: Rewrite['apply']): Rewrite => ({
  sentence,
  look_at,
  apply,
});

const swap = (part: string | RegExp, other: string) => (text: string) => text.replaceAll(part, other);

/** More special ones first, because the first that fits is the name. */
export const rewrites: readonly Rewrite[] = [
  rewrite('Double braces come back as single braces.', templates, (text) =>
    text.replaceAll('{{', '{').replaceAll('}}', '}'),
  ),
  rewrite('Tags such as <b> disappear.', markup, swap(/<\/?[a-z][^<>]*>/gi, '')),
  rewrite('Characters come back as HTML entities: & as &amp; and < as &lt;.', markup, escapeTags),
  rewrite('Markdown characters disappear: **, ` and _.', markup, swap(/[*`_]/g, '')),
  rewrite(
    'Text is URL-decoded: + becomes a space, and %25 becomes %.',
    'Look for a prompt that is sent as form data or in a query string without URL encoding.',
    (text) =>
      text
        .replaceAll('+', ' ')
        .replaceAll(/%([0-7][\dA-F])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
  ),
  rewrite('Backslashes disappear.', escaping, swap('\\', '')),
  rewrite('Straight quotes become curly ones.', 'Look for code that inserts typographic quotes.', (text) =>
    text
      .replaceAll(/(^|[\s([{])"/g, '$1“')
      .replaceAll('"', '”')
      .replaceAll(/(^|[\s([{])'/g, '$1‘')
      .replaceAll("'", '’'),
  ),
  rewrite(
    'Quotes disappear.',
    'Look for code that quotes or escapes text, such as a shell command or a query.',
    swap(/["']/g, ''),
  ),
  rewrite(
    'Quotes come back with a backslash before them.',
    'Look for text that is encoded as JSON twice.',
    swap('"', '\\"'),
  ),
  rewrite('Characters outside ASCII disappear.', encodings, swap(/[^\0-\x7f]/gu, '')),
  rewrite('Characters outside ASCII become question marks.', encodings, swap(/[^\0-\x7f]/gu, '?')),
  rewrite('UTF-8 is read as Latin-1: é becomes Ã©.', encodings, (text) =>
    Buffer.from(text, 'utf8').toString('latin1'),
  ),
  rewrite(
    'Characters outside ASCII come back as escape sequences such as \\u00e9.',
    'Look for text that is encoded as JSON twice.',
    (text) =>
      text.replaceAll(/[^\0-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ),
  rewrite('Accents disappear.', encodings, (text) => normalizeText(text, 'NFD').replaceAll(/\p{M}/gu, '')),
  rewrite('Emoji disappear.', encodings, swap(/\p{Extended_Pictographic}/gu, '')),
  rewrite('Leading zeros disappear: 0042 becomes 42.', numbers, swap(/(?<![\d.-])0+(?=[1-9])/g, '')),
  rewrite('Numbers get thousands separators: 1234 becomes 1,234.', numbers, (text) =>
    text.replaceAll(/(?<![\d.-])[1-9]\d{3}(?![\d-])/g, (digits) => `${digits[0]},${digits.slice(1)}`),
  ),
  rewrite(
    'Dates are rewritten: 2031-05-04 becomes 05/04/2031.',
    numbers,
    swap(/(\d{4})-(\d\d)-(\d\d)/g, '$2/$3/$1'),
  ),
  rewrite('Empty lines disappear.', spaces, swap(/\n{2,}/g, '\n')),
  rewrite('Line breaks disappear.', spaces, swap(/\n+/g, ' ')),
  rewrite('Lines are joined without a space.', spaces, swap('\n', '')),
  rewrite(
    'Only the first line comes back.',
    'Look for code that reads a reply line by line.',
    (text) => text.split('\n', 1)[0] ?? '',
  ),
  rewrite(
    'Line breaks come back as the two characters \\n.',
    'Look for text that is encoded as JSON twice.',
    swap('\n', '\\n'),
  ),
  rewrite('Lists come back sorted.', lists, sortLines),
  rewrite('Lists come back sorted and without duplicates.', lists, (text) =>
    sortLines([...new Set(text.split('\n'))].join('\n')),
  ),
  rewrite('Lists come back without duplicates.', lists, (text) => [...new Set(text.split('\n'))].join('\n')),
  rewrite(
    'Text comes back in lower case.',
    'Look for code that normalises text, such as an index or a cache key.',
    (text) => text.toLowerCase(),
  ),
  rewrite('Text comes back in upper case.', 'Look for code that normalises text.', (text) =>
    text.toUpperCase(),
  ),
];

function escapeTags(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function sortLines(text: string): string {
  return text.split('\n').toSorted().join('\n');
}
