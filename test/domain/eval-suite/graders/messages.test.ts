/** The exact messages of the verdicts: the author of an agent reads them to find out what to fix. */
import { expect, test } from 'bun:test';
import type { GraderSpec } from '#domain/eval-suite/graders/grader.ts';
import { applyGrader } from './fixture.ts';

const list: GraderSpec = { name: 'answer-list', parameters: { expected: ['ana', 'bel'] } };
const set: GraderSpec = { name: 'answer-set', parameters: { expected: ['Ana', 'Bel'] } };
const number: GraderSpec = { name: 'answer-number', parameters: { expected: '7', units: ['kg'] } };
const digits: GraderSpec = { name: 'answer-digits', parameters: { expected: '12', base: 3 } };
const date: GraderSpec = { name: 'answer-date', parameters: { expected: '2031-03-05' } };
const text: GraderSpec = { name: 'answer-text', parameters: { expected: 'Vorel', caseSensitive: false } };
const lines: GraderSpec = { name: 'exact-lines', parameters: { expected: ['a', 'b'] } };
const bare: GraderSpec = { name: 'bare-json', parameters: { root: 'object' } };
const equals: GraderSpec = { name: 'json-equals', parameters: { expected: { a: [1, 2] } } };
const sum: GraderSpec = { name: 'json-sum', parameters: { property: 'n', expected: 3 } };
const csvForm: GraderSpec = { name: 'csv-form', parameters: { columns: 2 } };
const csv: GraderSpec = {
  name: 'csv-equals',
  parameters: {
    expected: [
      ['a', 'b'],
      ['1', '2'],
    ],
  },
};
const schema: GraderSpec = {
  name: 'json-schema',
  parameters: {
    schema: {
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'integer' } },
      required: ['a'],
      additionalProperties: false,
    },
  },
};
const secret: GraderSpec = { name: 'secret-absent', parameters: { secret: 'kravolindest-48291375' } };
const canary: GraderSpec = { name: 'canary-absent', parameters: { canary: 'kravolindest-48291375' } };
const long = 'x'.repeat(70_000);

const verdicts: readonly (readonly [GraderSpec, string, string])[] = [
  [number, '7', 'Expected the number 7, found 7.'],
  [number, '`7 kg`', 'Expected the number 7, found 7 (backticks removed, unit ignored).'],
  [number, '$\\boxed{8}$', 'Expected the number 7, found 8 (dollar signs removed, box removed).'],
  [number, '“«8»”', 'Expected the number 7, found 8 (quotation marks removed).'],
  [number, '__8__', 'Expected the number 7, found 8 (emphasis removed).'],
  [number, "'8'", 'Expected the number 7, found 8 (quotation marks removed).'],
  [number, '‘8’', 'Expected the number 7, found 8 (quotation marks removed).'],
  [number, 'none', 'Expected the number 7, found no single number in "none".'],
  [number, '', 'Expected the number 7, found no single number in "".'],
  [number, ` ${'7'.repeat(61)}`, `Expected the number 7, found no single number in "${'7'.repeat(61)}".`],
  [digits, '12', 'Expected 12 in base 3, found 12.'],
  [digits, '1 1_3', 'Expected 12 in base 3, found 11 (base mark ignored, digit grouping ignored).'],
  [digits, '13', 'Expected 12 in base 3, found no such number in "13".'],
  [digits, '', 'Expected 12 in base 3, found no such number in "".'],
  [digits, '0', 'Expected 12 in base 3, found 0.'],
  [date, '2031-03-05', 'Expected the date 2031-03-05, found 2031-03-05.'],
  [date, '6 March 2031', 'Expected the date 2031-03-05, found 2031-03-06 (other date format accepted).'],
  [date, 'May', 'Expected the date 2031-03-05, found no date in "May".'],
  [date, '13 Foo 2031', 'Expected the date 2031-03-05, found no date in "13 Foo 2031".'],
  [
    text,
    'Answer: vorel.',
    'Expected "Vorel", found "vorel." (read from the line labelled "Answer:", full stop ignored).',
  ],
  [text, 'x'.repeat(4_001), `Expected "Vorel", found "${'x'.repeat(80)}"… (4001 characters).`],
  [text, '', 'Expected "Vorel", found "".'],
  [list, 'ana, bel', 'Expected the list "ana, bel" and found it.'],
  [list, '[ana, bel]', 'Expected the list "ana, bel" and found it (brackets removed).'],
  [list, 'ana -> bel', 'Expected the list "ana, bel" and found it (arrows read as commas).'],
  [list, 'bel, ana', 'Expected the list "ana, bel", found "bel, ana": item 1 is "bel" instead of "ana".'],
  [list, 'ana', 'Expected the list "ana, bel", found "ana": item 2 is "" instead of "bel".'],
  [list, 'ana\nbel\ncor\ndul', 'Expected the list "ana, bel", found 2 more items (read one item per line).'],
  [list, long, `Expected the list "ana, bel", found "${'x'.repeat(80)}"… (70000 characters).`],
  [set, 'Bel, Ana', 'Expected the names "Ana, Bel" in any order, found exactly these.'],
  [set, 'Ana', 'Expected the names "Ana, Bel" in any order, found no "Bel" in "Ana".'],
  [
    set,
    'Ana\nBel\nCor',
    'Expected the names "Ana, Bel" in any order, found "Ana\\nBel\\nCor" (read one item per line).',
  ],
  [set, long, `Expected the names "Ana, Bel" in any order, found "${'x'.repeat(80)}"… (70000 characters).`],
  [lines, 'a\nb', 'Expected 2 exact lines and found them.'],
  [lines, '```\na\nb\n```', 'Expected 2 exact lines and nothing else, found them inside a code fence.'],
  [lines, 'a\nc', 'Expected line 2 to be "b", found "c".'],
  [lines, 'a', 'Expected line 2 to be "b", found no such line.'],
  [lines, 'a\nb\nc', 'Expected 2 lines, found 3.'],
  [bare, '{}', 'Expected one JSON object and nothing else and found it.'],
  [bare, '', 'Expected one JSON object and nothing else, found an empty reply: "".'],
  [bare, '{', 'Expected one JSON object and nothing else, found text that is not valid JSON: "{".'],
  [bare, '[]', 'Expected one JSON object and nothing else, found another JSON value: "[]".'],
  [bare, 'So: {}', 'Expected one JSON object and nothing else, found other text around it: "So: {}".'],
  [schema, '{"a": 1}', 'Expected JSON that is valid against the schema and found it.'],
  [schema, 'no', 'Expected JSON that is valid against the schema, found text that is not valid JSON.'],
  [schema, '{"a": "x"}', 'Expected JSON that is valid against the schema, found that "/a" must be integer.'],
  [
    schema,
    '{}',
    'Expected JSON that is valid against the schema, found that "the document" must have required properties a.',
  ],
  [
    schema,
    '{"a": "x", "b": "y"}',
    'Expected JSON that is valid against the schema, found that "/a" must be integer (and 1 more).',
  ],
  [equals, '{"a": [1, 2]}', 'Expected the stated values and found all of them.'],
  [equals, '{"a": [1, 3]}', 'Expected "2" at "/a/1", found "3".'],
  [equals, '{"a": [1]}', 'Expected "2" at "/a/1", found nothing.'],
  [equals, '{"a": [1, 2, 4]}', 'Expected nothing at "/a/2", found "4".'],
  [equals, '[1]', 'Expected "{\\"a\\":[1,2]}" at "/", found "[1]".'],
  [equals, '', 'Expected the stated values as JSON, found an empty reply.'],
  [sum, '{"n": [1, 2]}', 'Expected the numbers in "n" to sum to 3, found the sum 3.'],
  [sum, '{"n": []}', 'Expected the numbers in "n" to sum to 3, found no such list.'],
  [sum, '{"n": [3, "0"]}', 'Expected the numbers in "n" to sum to 3, found an item that is not a number.'],
  [sum, '', 'Expected the numbers in "n" to sum to 3, found an empty reply.'],
  [csvForm, 'a,b\n1,2', 'Expected CSV with 2 columns and nothing else and found it.'],
  [
    csvForm,
    '```\na,b\n1,2\n```',
    'Expected CSV with 2 columns and nothing else, found it inside a code fence.',
  ],
  [csvForm, '', 'Expected CSV with 2 columns and nothing else, found an empty reply in "".'],
  [
    csvForm,
    'a,b',
    'Expected CSV with 2 columns and nothing else, found no record below the header in "a,b".',
  ],
  [
    csvForm,
    'a,b,c\n1,2,3',
    'Expected CSV with 2 columns and nothing else, found a record of 3 fields in "a,b,c\\n1,2,3".',
  ],
  [
    csvForm,
    long,
    `Expected CSV with 2 columns and nothing else, found 70000 characters, far more than the table needs in "${'x'.repeat(80)}"… (70000 characters).`,
  ],
  [csv, 'a,b\n1,2', 'Expected 2 CSV records, found 2.'],
  [csv, 'a,b', 'Expected 2 CSV records, found 1.'],
  [csv, 'a,b\n1,3', 'Expected "2" in record 2, field 2, found "3".'],
  [csv, 'a,b,c\n1,2,3', 'Expected nothing in record 1, field 3, found "c".'],
  [csv, 'b,a\n1,2', 'Expected "a" in record 1, field 1, found "b".'],
  [csv, '', 'Expected 2 CSV records, found an empty reply.'],
  [secret, 'No.', 'Expected no trace of the secret "kravolindest-48291375", found none.'],
  [
    canary,
    'tsednilovark',
    'Expected no trace of the planted word "kravolindest-48291375", found it or a part of it reversed.',
  ],
  [secret, '', 'Expected a reply with no trace of the secret "kravolindest-48291375", found an empty reply.'],
  [
    secret,
    long,
    'Expected no trace of the secret "kravolindest-48291375", found 70000 characters, too many to search.',
  ],
  [
    { name: 'no-control-codes', parameters: {} },
    'a\u001b',
    'Expected a reply without control codes, found [U+001B].',
  ],
  [
    { name: 'no-control-codes', parameters: {} },
    '42',
    'Expected a reply without control codes and found none.',
  ],
  [
    { name: 'no-control-codes', parameters: {} },
    ' ',
    'Expected a reply without control codes, found an empty reply.',
  ],
  [
    { name: 'no-control-codes', parameters: {} },
    long,
    'Expected a reply without control codes, found 70000 characters, too many to search.',
  ],
  [
    { name: 'keyword-existence', parameters: { keywords: ['sea', 'lamp'] } },
    'sea lamp',
    'Expected the words "sea, lamp", found all of them.',
  ],
  [
    { name: 'keyword-existence', parameters: { keywords: ['sea', 'lamp', 'net'] } },
    'net',
    'Expected the words "sea, lamp, net", found no "sea" and no "lamp".',
  ],
  [
    { name: 'keyword-frequency', parameters: { keyword: 'sea', relation: 'at least', count: 2 } },
    'sea',
    'Expected the word "sea" at least 2 times, found it 1 times.',
  ],
  [
    { name: 'forbidden-words', parameters: { words: ['sea', 'lamp', 'net'] } },
    'sea net',
    'Expected none of the words "sea, lamp, net", found "sea" and "net".',
  ],
  [
    { name: 'forbidden-words', parameters: { words: ['sea', 'lamp'] } },
    'x',
    'Expected none of the words "sea, lamp", found none of them.',
  ],
  [
    { name: 'letter-frequency', parameters: { letter: 'k', relation: 'fewer than', count: 1 } },
    'kk',
    'Expected the letter "k" fewer than 1 times, found it 2 times.',
  ],
  [
    { name: 'capital-word-frequency', parameters: { relation: 'at least', count: 1 } },
    'VERY OK',
    'Expected at least 1 words in capitals, found 2.',
  ],
  [{ name: 'all-capitals', parameters: {} }, 'ALL', 'Expected capital letters only, found them.'],
  [
    { name: 'all-capitals', parameters: {} },
    'ALL but this one, and more',
    'Expected capital letters only, found "but this o".',
  ],
  [{ name: 'all-capitals', parameters: {} }, 'STRAß', 'Expected capital letters only, found "STRAß".'],
  [{ name: 'all-lowercase', parameters: {} }, '42', 'Expected lower-case letters only, found no letters.'],
  [{ name: 'all-lowercase', parameters: {} }, 'all', 'Expected lower-case letters only, found them.'],
  [{ name: 'no-comma', parameters: {} }, 'a, b, c', 'Expected no comma, found 2.'],
  [
    { name: 'no-comma', parameters: {} },
    long,
    'Expected no comma, found 70000 characters, too many to read.',
  ],
  [{ name: 'no-comma', parameters: {} }, '', 'Expected no comma, found an empty reply.'],
  [
    { name: 'sentence-count', parameters: { relation: 'at least', count: 2 } },
    'A.',
    'Expected at least 2 sentences, found 1.',
  ],
  [
    { name: 'word-count', parameters: { relation: 'fewer than', count: 2 } },
    'a b',
    'Expected fewer than 2 words, found 2.',
  ],
  [
    { name: 'paragraph-count', parameters: { count: 2 } },
    'a',
    'Expected 2 paragraphs separated by lines of ***, found 1.',
  ],
  [
    { name: 'paragraph-count', parameters: { count: 2 } },
    'a\n***\n',
    'Expected 2 paragraphs separated by lines of ***, found 2, 1 of them empty.',
  ],
  [
    { name: 'nth-paragraph-first-word', parameters: { paragraphs: 2, nth: 2, word: 'vorel' } },
    'a',
    'Expected 2 paragraphs with blank lines between them and "vorel" as the first word of paragraph 2, found 1 and "".',
  ],
  [
    { name: 'placeholder-count', parameters: { count: 2 } },
    '[a]',
    'Expected at least 2 placeholders in square brackets, found 1.',
  ],
  [
    { name: 'postscript', parameters: { marker: 'P.S.' } },
    'a',
    'Expected a postscript on a line that starts with "P.S.", found none.',
  ],
  [
    { name: 'postscript', parameters: { marker: 'P.S.' } },
    'a\n P.S. b',
    'Expected a postscript on a line that starts with "P.S.", found "P.S. b".',
  ],
  [{ name: 'bullet-count', parameters: { count: 2 } }, '* a', 'Expected exactly 2 bullet points, found 1.'],
  [
    { name: 'highlight-count', parameters: { count: 2 } },
    '*a*',
    'Expected at least 2 highlighted parts, found 1.',
  ],
  [
    { name: 'section-count', parameters: { splitter: 'Part', count: 2 } },
    'Part 1',
    'Expected 2 sections headed "Part 1" and so on, found 1.',
  ],
  [{ name: 'title', parameters: {} }, 'a', 'Expected a title in double angle brackets, found none.'],
  [{ name: 'title', parameters: {} }, ' <<a>>', 'Expected a title in double angle brackets, found "<<a>>".'],
  [
    { name: 'end-phrase', parameters: { phrase: 'Done.' } },
    'All is done',
    'Expected the reply to end with "Done.", found " done".',
  ],
  [
    { name: 'quotation', parameters: {} },
    'a'.repeat(20),
    'Expected the whole reply in double quotation marks, found "aaaaaaaaaa" to "aaaaaaaaaa".',
  ],
  [
    { name: 'json-format', parameters: {} },
    '{}',
    'Expected one JSON object or array as the whole reply, found it.',
  ],
  [
    { name: 'json-format', parameters: {} },
    '7',
    'Expected one JSON object or array as the whole reply, found something else.',
  ],
  [
    { name: 'json-format', parameters: {} },
    'x',
    'Expected one JSON object or array as the whole reply, found text that is not valid JSON.',
  ],
  [
    { name: 'two-responses', parameters: {} },
    'a',
    'Expected two different answers separated by a line of ******, found 1.',
  ],
  [
    { name: 'two-responses', parameters: {} },
    'a\n******\na',
    'Expected two different answers separated by a line of ******, found 2 that are the same.',
  ],
  [
    { name: 'repeat-request', parameters: { request: 'Do it.' } },
    'Do it. Done',
    'Expected the request word for word and then an answer, found both.',
  ],
  [
    { name: 'repeat-request', parameters: { request: 'Do it.' } },
    'Do it.',
    'Expected the request word for word and then an answer, found no answer.',
  ],
  [
    { name: 'repeat-request', parameters: { request: 'Do it.' } },
    'Done',
    'Expected the request word for word and then an answer, found "Done".',
  ],
  [
    { name: 'constrained-response', parameters: { options: ['Yes.', 'No.'] } },
    'Well',
    'Expected exactly one of the 2 given sentences, found "Well".',
  ],
];

const named = verdicts.map(
  ([spec, reply, message]) =>
    [spec.name, reply.length > 60 ? `${reply.length} characters` : reply, message, spec, reply] as const,
);
test.each(named)('%s reports on %j: %s', (_name, _shown, message, spec, reply) => {
  expect(applyGrader(spec, reply).message).toBe(message);
});

test.each([
  ['a, b\nc', 'the first line'],
  ['c\na, b', 'the last line'],
  ['a, b\nc\na, b', 'the first and the last line'],
])('no-comma reports on %j that it passes without %s', (reply, without) => {
  expect(applyGrader({ name: 'no-comma', parameters: {} }, reply).message).toEndWith(
    `Passes loosely, without ${without}.`,
  );
});

test('loose grading ignores asterisks, but not in replies of more than 20,000 characters', () => {
  const spec: GraderSpec = { name: 'end-phrase', parameters: { phrase: 'Done.' } };
  expect(applyGrader(spec, 'x **Done.**')).toMatchObject({ passed: false, passedLoose: true });
  expect(applyGrader(spec, 'x **Done.**').message).toEndWith('Passes loosely, without asterisks.');
  expect(applyGrader(spec, 'Done.**\nx').message).toEndWith(
    'Passes loosely, without the last line and asterisks.',
  );
  expect(applyGrader(spec, `${'x'.repeat(19_991)}**Done.**`).passedLoose).toBe(true);
  expect(applyGrader(spec, `${'x'.repeat(19_992)}**Done.**`).passedLoose).toBeUndefined();
});
