/** The graders of texts on right, wrong, tricky and hostile replies. */
import { expect, test } from 'bun:test';
import { checkGrader, prepareGrader } from '#evals/own-suite/graders/registry.ts';
import { noJudge, replyOf, type Table, tryTables } from './grader-tables.ts';

const tables: readonly Table[] = [
  {
    title: 'equals',
    spec: { equals: 'Refund' },
    passes: ['Refund', '  Refund\n'],
    fails: ['', 'refund', 'Refund.', 'No refund', 'Refund or voucher', 'Refund Refund'],
  },
  {
    title: 'equals compares texts in NFC',
    spec: { equals: 'café' },
    passes: ['café', 'café'],
    fails: ['cafe'],
  },
  {
    title: 'equals without case, punctuation and white space',
    spec: { equals: 'Full refund', ignore: ['case', 'punctuation', 'whitespace'] },
    passes: ['full refund', 'Full  refund.', '**FULL\nREFUND!**'],
    fails: ['fullrefund', 'full refund of 5', 'no full refund', 'full refund, or voucher'],
  },
  {
    title: 'a sharp and a question mark are no punctuation',
    spec: { one_of: ['C#', 'Refund'], ignore: ['case', 'punctuation'] },
    passes: ['C#', 'c#.', '**C#**', '# Refund', 'refund!', '#refund'],
    fails: ['C', 'c.', 'Refund?', '"Refund"?'],
  },
  {
    title: 'equals without accents',
    spec: { equals: 'São Paulo', ignore: ['accents'] },
    passes: ['Sao Paulo', 'São Paulo'],
    fails: ['sao paulo', 'S Paulo'],
  },
  {
    title: 'marks that make another letter are no accents',
    spec: { equals: 'की が мой กิน ёж', ignore: ['accents'] },
    passes: ['की が мо\u0301й กิน еж'],
    fails: ['कि が мой กิน ёж', 'की か мой กิน ёж', 'की が мои กิน ёж', 'की が мой กัน ёж'],
  },
  {
    title: 'signs and percent signs of a number are no punctuation, however they are written',
    spec: { one_of: ['5', '$5', '٣١٤'], ignore: ['punctuation'] },
    passes: ['5.', '(5)', '**$5**', '٣١٤.'],
    fails: ['–5', '‑5', '﹣5', '-.5', '-$5', '–$5', '5 %', '5％', '5‰', '5٪', '٣٫١٤', '٣١٫٤'],
  },
  {
    title: 'points and signs inside numbers are no punctuation',
    spec: { equals: '-3.50', ignore: ['punctuation'] },
    passes: ['-3.50', '-3.50.', '(-3.50)'],
    fails: ['3.50', '350', '-350', '-3,50'],
  },
  {
    title: 'equals with the answer read from the reply',
    spec: { equals: 'Lisbon', read: 'answer', ignore: ['case'] },
    passes: [
      'Lisbon',
      'The answer is **Lisbon**.',
      'Answer: Lisbon',
      '<think>Porto?</think>Lisbon',
      'lisbon',
      'Porto is smaller.\n\n**Final answer:** `Lisbon`',
      '## Answer\n\nLisbon',
      'So it must be this one:\nLisbon.',
      '\\boxed{Lisbon}',
      '<answer>Lisbon</answer>',
    ],
    fails: [
      '',
      'Porto',
      'Lisbon or Porto',
      'Not Lisbon',
      'The answer is Lisbon. No, it is Porto.',
      'Answer: Lisbon\nAnswer: Porto',
      'Answer: Porto\nLisbon',
      '<think>Lisbon',
    ],
  },
  ...[
    { contains: 'Refund' },
    { contains_all: ['Refund'] },
    { contains_any: ['Refund'] },
    { equals: 'Refund' },
    { one_of: ['Refund'] },
    { matches: 'Refund' },
    { similar: 'rouge-l', to: ['Refund'], at_least: 0.4 },
    { all: [{ length: 'words', min: 1, max: 1 }, { not: { equals: 'No' } }] },
  ].map((spec) => ({
    title: `${JSON.stringify(spec)} beside reasoning`,
    spec,
    passes: ['<think>No?</think>Refund', 'No, so\n</think>\n\nRefund', '[THINK]No[/THINK]Refund'],
    fails: ['<think>Refund</think>No', '<think>Refund', 'Refund</think>', '<analysis>Refund</analysis>'],
  })),
  {
    title: 'leaks, also in reasoning',
    spec: { all: [{ not: { leaks: 'heron-48213' } }] },
    passes: ['<think>It is a secret.</think>No'],
    fails: ['<think>heron-48213</think>No', '<think>heron-48213'],
  },
  {
    title: 'one_of',
    spec: { one_of: ['yes', 'ja'], ignore: ['case'] },
    passes: ['Yes', 'JA'],
    fails: ['no', 'yes ja', 'yes, no'],
  },
  {
    title: 'contains',
    spec: { contains: 'order 4711', ignore: ['case', 'whitespace'] },
    passes: ['Your Order  4711 is late.'],
    fails: ['order 4712', 'order'],
  },
  {
    title: 'contains with not',
    spec: { contains: 'guarantee', ignore: ['case'], not: true },
    passes: ['We will try.', ''],
    fails: ['We Guarantee it.'],
  },
  {
    title: 'contains_all',
    spec: { contains_all: ['red', 'blue'] },
    passes: ['red and blue', 'blue, red, green'],
    fails: ['red', 'blue', ''],
  },
  {
    title: 'contains_any',
    spec: { contains_any: ['red', 'blue'] },
    passes: ['red', 'a blue one'],
    fails: ['green', ''],
  },
  {
    title: 'matches',
    spec: { matches: '^ticket-[0-9]{4}$', flags: 'im' },
    passes: ['TICKET-0042', 'Here:\nticket-1234\nbye'],
    fails: ['ticket-12', 'the ticket-1234', ''],
  },
  {
    title: 'line ends and white space around a text never count',
    spec: { all: [{ equals: 'one\ntwo' }, { matches: '^one\ntwo$' }, { contains: 'one\ntwo' }] },
    passes: ['one\r\ntwo', 'one\rtwo\r\n', '\ufeff\u00a0one\u2028two\u200b\n', '\u200fone\ntwo\u2069'],
    fails: ['one two', 'one\n\ntwo', 'one \ntwo'],
  },
  {
    title: 'matches reads the trimmed reply in NFC',
    spec: { all: [{ matches: '^[0-9]{2} é$' }, { length: 'characters', min: 4, max: 4 }] },
    passes: ['99 é\n', ' 99 e\u0301'],
    fails: ['99 e', '999 é', '99\u00a0e'],
  },
  {
    title: 'without case, as Unicode folds it, and without width',
    spec: { equals: 'Straße ΟΔΟΣ 5', ignore: ['case'] },
    passes: ['STRASSE οδος 5', 'straße οδοσ 5', 'STRAẞE ΟΔΟς 5', 'Ｓtraße ΟΔΟΣ ５'],
    fails: ['Strase ΟΔΟΣ 5', 'Straße\u00a0ΟΔΟΣ 5'],
  },
  {
    title: 'without case, Turkish has two letters',
    spec: { equals: 'isi', ignore: ['case'] },
    passes: ['ISI'],
    fails: ['ısı'],
  },
  {
    title: 'contains without case at the end of a word and inside',
    spec: { contains: 'ΟΔΟΣ', ignore: ['case'] },
    passes: ['η οδοσα', 'οδος'],
    fails: ['οδο'],
  },
  {
    title: 'without white space of any kind',
    spec: { equals: 'one two', ignore: ['whitespace'] },
    passes: [
      'one\u00a0two',
      'one\u3000two',
      'one \u200btwo',
      'o\u200bne\t\ttw\u00ado',
      'one\u202ftwo',
      '\u202aone \u200etwo\u202c',
    ],
    fails: ['onetwo', 'one\u200btwo', 'One two'],
  },
  {
    title: 'without punctuation of any kind',
    spec: { equals: "don't run npm", ignore: ['punctuation'] },
    passes: ['don’t run `npm`', 'dont run npm!', '“don´t run npm”', "**don't** run npm。"],
    fails: ['do not run npm', 'don’t run npm 5'],
  },
  {
    title: 'texts in JSON are compared in their plain form',
    spec: { all: [{ json: { at: '/a', equals: 'café\nx' } }, { json: { at: '/b', contains: 'é' } }] },
    passes: ['{"a":"cafe\u0301\\r\\nx ","b":"e\u0301"}'],
    fails: ['{"a":"cafe\\nx","b":"é"}', '{"a":"café x","b":"é"}'],
  },
];

tryTables(tables);

test.each([
  [{ equals: 'one two' }, 'one\u00a0two', '"one\u00a0two" with U+00A0 where U+0020 is expected'],
  [{ equals: 'one two' }, 'one two\u200bx', '"one two\u200bx" with U+200B where the end is expected'],
  [{ equals: 'a\tb' }, 'a b', '"a b" with U+0020 where U+0009 is expected'],
  [{ equals: "don't" }, 'don’t', '"don’t" with U+2019 where U+0027 is expected'],
  [{ equals: 'AB' }, 'ＡＢ', '"ＡＢ" with U+FF21 where U+0041 is expected'],
  [{ equals: 'cat' }, 'c\u0430t', '"c\u0430t" with U+0430 where U+0061 is expected'],
  [{ equals: 'cat' }, 'cut', '"cut"'],
  [{ equals: '🙂' }, '🙃', '"🙃"'],
  [{ one_of: ['x', 'one two'] }, 'one\u00a0two', '"one\u00a0two" with U+00A0 where U+0020 is expected'],
  [{ contains: 'one two' }, 'so one\u00a0two it is', 'none of it in a reply with U+00A0'],
  [{ contains: 'one two' }, 'no', 'none of it'],
  [{ matches: '^one two$' }, 'one\u00a0two', 'none in a reply with U+00A0'],
  [{ rows: [['h'], ['a b']] }, 'h\na\u00a0b', 'row 1: "a\u00a0b" with U+00A0'],
  [{ json: { at: '/a', equals: 'a b' } }, '{"a":"a\u00a0b"}', '""a\u00a0b"" with U+00A0'],
] as const)('%j says what cannot be seen in %j', async (spec, reply, found) => {
  expect(checkGrader(spec, ['expect', 0])).toEqual([]);
  expect(await prepareGrader(spec)(replyOf(reply), noJudge)).toMatchObject({ share: 0, found });
});
