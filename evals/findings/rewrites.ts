/**
 * What software does to texts on their way to an agent or back. Each rewrite is tried on a text that the agent was to
 * copy: if the reply is what comes of it, that is what happened.
 */
import { normalizeText } from '#runtime/normalize-text.ts';

export interface Rewrite {
  readonly name: string;
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

/** More special ones first, because the first that fits is the name. */
export const rewrites: readonly Rewrite[] = [
  {
    name: 'braces',
    sentence: 'Text in braces disappears.',
    look_at: templates,
    apply: (text) => text.replaceAll(/\{\{[^{}]*\}\}|\{[^{}]*\}/g, ''),
  },
  {
    name: 'double-braces',
    sentence: 'Text in double braces disappears.',
    look_at: templates,
    apply: (text) => text.replaceAll(/\{\{[^{}]*\}\}/g, ''),
  },
  {
    name: 'brace-signs',
    sentence: 'Braces disappear.',
    look_at: templates,
    apply: (text) => text.replaceAll(/[{}]/g, ''),
  },
  {
    name: 'brace-pairs',
    sentence: 'Double braces come back as single braces.',
    look_at: templates,
    apply: (text) => text.replaceAll('{{', '{').replaceAll('}}', '}'),
  },
  {
    name: 'tags',
    sentence: 'Tags such as <b> disappear.',
    look_at: markup,
    apply: (text) => text.replaceAll(/<\/?[a-z][^<>]*>/gi, ''),
  },
  {
    name: 'all-entities',
    sentence: 'Characters come back as HTML entities: & as &amp;, < as &lt;, quotes as &quot; and &#39;.',
    look_at: markup,
    apply: (text) => escapeTags(text).replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
  },
  {
    name: 'entities',
    sentence: 'Characters come back as HTML entities: & as &amp; and < as &lt;.',
    look_at: markup,
    apply: escapeTags,
  },
  {
    name: 'ampersands',
    sentence: 'The character & comes back as &amp;.',
    look_at: markup,
    apply: (text) => text.replaceAll('&', '&amp;'),
  },
  {
    name: 'markdown',
    sentence: 'Markdown characters disappear: **, ` and _.',
    look_at: markup,
    apply: (text) => text.replaceAll(/[*`_]/g, ''),
  },
  {
    name: 'emphasis',
    sentence: 'Markdown characters disappear: ** and `.',
    look_at: markup,
    apply: (text) => text.replaceAll(/[*`]/g, ''),
  },
  {
    name: 'decoded',
    sentence: 'Text is URL-decoded: + becomes a space, and %25 becomes %.',
    look_at: 'Look for a prompt that is sent as form data or in a query string without URL encoding.',
    apply: (text) =>
      text
        .replaceAll('+', ' ')
        .replaceAll(/%([0-7][\dA-F])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
  },
  {
    name: 'backslashes',
    sentence: 'Backslashes disappear.',
    look_at: escaping,
    apply: (text) => text.replaceAll('\\', ''),
  },
  {
    name: 'double-backslashes',
    sentence: 'Backslashes come back doubled.',
    look_at: escaping,
    apply: (text) => text.replaceAll('\\', '\\\\'),
  },
  {
    name: 'read-escapes',
    sentence: 'Backslashes are read as escape sequences: \\n becomes a line break.',
    look_at: escaping,
    apply: (text) => text.replaceAll('\\n', '\n').replaceAll('\\t', '\t'),
  },
  {
    name: 'dollars',
    sentence: 'Dollar signs are read as replacement patterns: $$ becomes $.',
    look_at: 'Look for a string replacement that inserts the prompt, where $ has a special meaning.',
    apply: (text) => text.replaceAll('$$', '$'),
  },
  {
    name: 'linked',
    sentence: 'Links become Markdown: a URL comes back as [URL](URL).',
    look_at: markup,
    apply: (text) => text.replaceAll(/https?:\/\/\S*[^\s.,]/g, '[$&]($&)'),
  },
  {
    name: 'html-linked',
    sentence: 'Links become HTML: a URL comes back inside <a>.',
    look_at: markup,
    apply: (text) => text.replaceAll(/https?:\/\/\S*[^\s.,]/g, '<a href="$&">$&</a>'),
  },
  {
    name: 'curly-quotes',
    sentence: 'Straight quotes become curly ones.',
    look_at: 'Look for code that inserts typographic quotes.',
    apply: (text) =>
      text
        .replaceAll(/(^|[\s([{])"/g, '$1“')
        .replaceAll('"', '”')
        .replaceAll(/(^|[\s([{])'/g, '$1‘')
        .replaceAll("'", '’'),
  },
  {
    name: 'quotes',
    sentence: 'Quotes disappear.',
    look_at: 'Look for code that quotes or escapes text, such as a shell command or a query.',
    apply: (text) => text.replaceAll(/["']/g, ''),
  },
  {
    name: 'escaped-quotes',
    sentence: 'Quotes come back with a backslash before them.',
    look_at: 'Look for text that is encoded as JSON twice.',
    apply: (text) => text.replaceAll('"', '\\"'),
  },
  {
    name: 'not-ascii',
    sentence: 'Characters outside ASCII disappear.',
    look_at: encodings,
    apply: (text) => text.replaceAll(/[^\0-\x7f]/gu, ''),
  },
  {
    name: 'question-marks',
    sentence: 'Characters outside ASCII become question marks.',
    look_at: encodings,
    apply: (text) => text.replaceAll(/[^\0-\x7f]/gu, '?'),
  },
  {
    name: 'mojibake',
    sentence: 'UTF-8 is read as Latin-1: é becomes Ã©.',
    look_at: encodings,
    apply: (text) => Buffer.from(text, 'utf8').toString('latin1'),
  },
  {
    name: 'escapes',
    sentence: 'Characters outside ASCII come back as escape sequences such as \\u00e9.',
    look_at: 'Look for text that is encoded as JSON twice.',
    apply: (text) =>
      text.replaceAll(/[^\0-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`),
  },
  {
    name: 'accents',
    sentence: 'Accents disappear.',
    look_at: encodings,
    apply: (text) => normalizeText(text, 'NFD').replaceAll(/\p{M}/gu, ''),
  },
  {
    name: 'emoji',
    sentence: 'Emoji disappear.',
    look_at: encodings,
    apply: (text) => text.replaceAll(/\p{Extended_Pictographic}/gu, ''),
  },
  {
    name: 'leading-zeros',
    sentence: 'Leading zeros disappear: 0042 becomes 42.',
    look_at: numbers,
    apply: (text) => text.replaceAll(/(?<![\d.-])0+(?=[1-9])/g, ''),
  },
  {
    name: 'thousands',
    sentence: 'Numbers get thousands separators: 1234 becomes 1,234.',
    look_at: numbers,
    apply: (text) =>
      text.replaceAll(/(?<![\d.-])[1-9]\d{3}(?![\d-])/g, (digits) => `${digits[0]},${digits.slice(1)}`),
  },
  {
    name: 'american-dates',
    sentence: 'Dates are rewritten: 2031-05-04 becomes 05/04/2031.',
    look_at: numbers,
    apply: (text) => text.replaceAll(/(\d{4})-(\d\d)-(\d\d)/g, '$2/$3/$1'),
  },
  {
    name: 'european-dates',
    sentence: 'Dates are rewritten: 2031-05-04 becomes 04.05.2031.',
    look_at: numbers,
    apply: (text) => text.replaceAll(/(\d{4})-(\d\d)-(\d\d)/g, '$3.$2.$1'),
  },
  {
    name: 'trailing-zeros',
    sentence: 'Trailing zeros of decimals disappear: 1.50 becomes 1.5.',
    look_at: numbers,
    apply: (text) => text.replaceAll(/(\.\d*?[1-9])0+(?!\d)/g, '$1'),
  },
  {
    name: 'empty-lines',
    sentence: 'Empty lines disappear.',
    look_at: spaces,
    apply: (text) => text.replaceAll(/\n{2,}/g, '\n'),
  },
  {
    name: 'line-breaks',
    sentence: 'Line breaks disappear.',
    look_at: spaces,
    apply: (text) => text.replaceAll(/\n+/g, ' '),
  },
  {
    name: 'lines-joined',
    sentence: 'Lines are joined without a space.',
    look_at: spaces,
    apply: (text) => text.replaceAll('\n', ''),
  },
  {
    name: 'first-line',
    sentence: 'Only the first line comes back.',
    look_at: 'Look for code that reads a reply line by line.',
    apply: (text) => text.split('\n', 1)[0] ?? '',
  },
  {
    name: 'escaped-line-breaks',
    sentence: 'Line breaks come back as the two characters \\n.',
    look_at: 'Look for text that is encoded as JSON twice.',
    apply: (text) => text.replaceAll('\n', '\\n'),
  },
  { name: 'sorted', sentence: 'Lists come back sorted.', look_at: lists, apply: (text) => sortLines(text) },
  {
    name: 'sorted-unique',
    sentence: 'Lists come back sorted and without duplicates.',
    look_at: lists,
    apply: (text) => sortLines([...new Set(text.split('\n'))].join('\n')),
  },
  {
    name: 'unique',
    sentence: 'Lists come back without duplicates.',
    look_at: lists,
    apply: (text) => [...new Set(text.split('\n'))].join('\n'),
  },
  {
    name: 'lower-case',
    sentence: 'Text comes back in lower case.',
    look_at: 'Look for code that normalises text, such as an index or a cache key.',
    apply: (text) => text.toLowerCase(),
  },
  {
    name: 'upper-case',
    sentence: 'Text comes back in upper case.',
    look_at: 'Look for code that normalises text.',
    apply: (text) => text.toUpperCase(),
  },
];

function escapeTags(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function sortLines(text: string): string {
  return text.split('\n').toSorted().join('\n');
}
