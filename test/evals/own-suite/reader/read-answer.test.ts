import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { AnswerType } from '#evals/own-suite/reader/answer.ts';
import { readAnswer } from '#evals/own-suite/reader/read-answer.ts';
import { isLooselyRight, isRight } from '#evals/own-suite/reader/same-answer.ts';
import type { ExpectedAnswer } from '#evals/own-suite/reader/same-answer.ts';
import { answerTypes } from './answer-types.ts';

interface Forms {
  readonly type: AnswerType;
  readonly expected: ExpectedAnswer;
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
}

const forms: readonly Forms[] = [
  {
    type: 'number',
    expected: 1234,
    accepted: [
      '1234',
      '1,234',
      '1 234',
      '1\u202f234',
      '1_234',
      "1'234",
      '1{,}234',
      '1234.',
      '1234.00',
      '+1234',
      '= 1234',
      '01234',
      '１２３４',
      '1️⃣2️⃣3️⃣4️⃣',
      '1234!',
      '(1234)',
      '1234 (as worked out above)',
      '1234 ✅',
      'Answer - 1234',
      '1234, because 34 more than 1200 were left.',
      '1234 — the total.',
      '1200 + 34 = 1234',
      'x = 1234',
      'one thousand two hundred and thirty-four',
      '$1234$',
      '\\(1234\\)',
      'There are 1234.',
      '1234 is the answer.',
      'Draft: 12\n\nAnswer: 1234',
      'I get 1234',
      '1.234 × … no. Let me start again.\n\nAnswer: 1234',
      '<think>12</think>1234',
      '12</think>1234',
    ],
    refused: [
      '1.234',
      '1,23,4',
      '12 34',
      '1234 km',
      '$1234',
      '1234 %',
      '~1234',
      '1234?',
      '1234 or so',
      '1234 ± 1',
      '12e2',
      '1234 = 1235',
      '1234/1',
      '0x4D2',
      'print(1234)',
      '1200 + 34',
      '١٢٣٤',
      '1234²',
      '1234 1234',
      '1234...',
      '',
      'Answer:',
      '<think>1234',
      'twelve thirty-four',
      '1234 (or 1235)',
      '1234 (1235)',
      'Not 1234',
    ],
  },
  {
    type: 'number',
    expected: -0.5,
    accepted: ['-0.5', '−0.5', '-.5', '-0.50', 'minus 0.5'.replace('minus ', '–')],
    refused: ['0.5', '-0,5', '--0.5', '-1/2'],
  },
  {
    type: 'word',
    expected: 'E',
    accepted: [
      'E',
      'e',
      '(E)',
      'E.',
      'Answer - E',
      '**E**',
      'E, because it fits.',
      'E\n\nIt is the only one that fits.',
      'The answer is E',
    ],
    refused: ['E or F', 'E?', 'E F', 'not E', 'EE', 'E (F)', 'E\nF', 'Maybe E', 'E, not F'],
  },
  {
    type: 'list',
    expected: ['ana', 'bel', 'cor'],
    accepted: [
      'ana, bel, cor',
      'ana,bel,cor',
      'ana; bel; cor',
      'ana → bel → cor',
      'ana > bel > cor',
      'ana, then bel, then cor',
      'ana, bel and cor',
      '1. ana\n2. bel\n3. cor',
      '1. ana\n\n2. bel\n\n3. cor',
      '1 ana\n2 bel\n3 cor',
      '- ana\n- bel\n- cor',
      '["ana", "bel", "cor"]',
      "('ana', 'bel', 'cor')",
      '(1) ana (2) bel (3) cor',
      '1. **ana** – shortest\n2. **bel** – next\n3. **cor** – last',
      'ana,\nbel,\ncor',
      'ana, bel,\ncor',
      'Answer:\n- ana\n- bel\n- cor',
    ],
    refused: [
      'ana, cor, bel',
      'ana, bel',
      'ana, bel, cor, dul',
      'Ana, bel, cor',
      'ana, bel, cor, maybe dul',
      'ana, bel or cor',
      '2. ana\n1. bel\n3. cor',
      'ana, bel, cor, …',
      'ana, bel, cor\ncor, bel, ana',
      'ana bel cor',
      'not ana, bel, cor',
      'ana, bel, cor?',
    ],
  },
  {
    type: 'set',
    expected: ['Ana', 'Bel'],
    accepted: [
      'Ana, Bel',
      'Bel, Ana',
      'bel and ana',
      'Ana & Bel',
      '{Ana, Bel}',
      '- Bel\n- Ana',
      'Ana, Bel, Ana',
    ],
    refused: [
      'Ana',
      'Ana, Bel, Cor',
      'Ana or Bel',
      'neither Ana nor Bel',
      'all but Ana and Bel',
      'Ana, maybe Bel',
      'Ana Bel',
    ],
  },
  {
    type: 'set',
    expected: [],
    accepted: ['none', 'Nobody.', '∅', 'Answer: no one', 'the empty set'],
    refused: ['Ana', '', '-', 'none or Ana'],
  },
  {
    type: 'date',
    expected: '2031-03-05',
    accepted: [
      '2031-03-05',
      '2031/03/05',
      '2031-3-5',
      '20310305',
      '5 March 2031',
      '5th of March, 2031',
      'March 5, 2031',
      'Mar. 5th, 2031',
      '5. März 2031'.replace('März', 'March'),
      'Wednesday, 5 March 2031',
      '2031-03-05 (Wednesday)',
      '2031-03-05T00:00:00Z',
      '2031年3月5日',
      'on 5 March 2031',
    ],
    refused: [
      '05/03/2031',
      '03/05/2031',
      '05.03.2031',
      '2031-05-03',
      'March 2031',
      '5 March',
      '5 Smarch 2031',
      'Tuesday, 5 March 2031',
      'by 5 March 2031',
      '5 March 31',
      '2031-03-05 or 2031-03-06',
      '2031-02-30',
    ],
  },
  {
    type: 'time',
    expected: '14:05',
    accepted: [
      '14:05',
      '14:05:00',
      '2:05 pm',
      '02:05 P.M.',
      '14h05',
      '14.05',
      '14:05 h',
      '1405 hours',
      '１４：０５',
      'at 14:05',
    ],
    refused: [
      '2:05',
      '2:05 am',
      '14:05 UTC',
      '14:5',
      '25:05',
      '14:05-14:10',
      'after 14:05',
      '1405',
      '14:05:30',
    ],
  },
  {
    type: 'digits',
    expected: '0042',
    accepted: ['0042', '"0042"', '0 0 4 2', '0042.'],
    refused: ['42', '00042', '0x0042', '-0042', '0042 0043'],
  },
  {
    type: 'line',
    expected: 'kula DORN vesk',
    accepted: [
      'kula DORN vesk',
      '`kula DORN vesk`',
      'Answer: kula DORN vesk',
      'kula DORN vesk.',
      'kula DORN vesk (I swapped the first two.)',
      'Here is the line:\n\n> kula DORN vesk\n\nI swapped the first two words.',
      '**kula DORN vesk** — this is the line.',
    ],
    refused: [
      'kula dorn vesk',
      'kula DORN',
      'vesk DORN kula',
      'kula DORN vesk\nvesk DORN kula',
      'kula DORN vesk tam',
      'not kula DORN vesk',
      'kula DORN vesk?',
      'kula DORN vesk or vesk DORN kula',
    ],
  },
];

describe.each([...forms])('a $type is', ({ type, expected, accepted, refused }) => {
  test.each([...accepted])('read from %j', (reply) => {
    expect({
      read: readAnswer(reply, type),
      right: isRight(readAnswer(reply, type), type, expected),
    }).toMatchObject({ right: true });
  });

  test.each([...refused])('not read from %j', (reply) => {
    expect(isRight(readAnswer(reply, type), type, expected)).toBe(false);
  });
});

describe('options', () => {
  test('name the units that may follow a number', () => {
    const options = { units: ['crates'] };
    for (const reply of [
      '7 crates',
      '7 Crates.',
      'Answer: **7** crates',
      'seven crates',
      'There are 7 crates',
    ]) {
      expect(isRight(readAnswer(reply, 'number', options), 'number', 7, options)).toBe(true);
    }
    expect(readAnswer('7 boxes', 'number', options).ok).toBe(false);
  });

  test('name the base of digits, whose leading zeros and grouping then do not count', () => {
    const options = { base: 3 };
    for (const reply of ['1012', '1,012', '1012_3', '1012 (base 3)', '01012', '$1012_{3}$']) {
      expect({
        reply,
        right: isRight(readAnswer(reply, 'digits', options), 'digits', '1012', options),
      }).toMatchObject({ right: true });
    }
    for (const reply of ['1013', '1012_4', '0x1012', '1013 base 4']) {
      expect(isRight(readAnswer(reply, 'digits', options), 'digits', '1012', options)).toBe(false);
    }
    expect(isRight(readAnswer('0x1f3', 'digits', { base: 16 }), 'digits', '1F3', { base: 16 })).toBe(true);
  });
});

test.each([
  ['', 'empty'],
  ['<think>7', 'unfinished reasoning'],
  ['7 or 8', 'nothing of the right type'],
  ['Answer: 7\nAnswer: 8', 'several candidates'],
  ['Answer: 7\n\nWait, that is wrong.', 'hedged or retracted'],
  ['7'.repeat(262_145), 'too long'],
] as const)('%j gives a reason: %s', (reply, reason) => {
  expect(readAnswer(reply, 'number')).toMatchObject({ ok: false, reason });
});

test('a right value in the wrong wrapping is told from a wrong value', () => {
  const read = readAnswer('Answer: roughly 7 crates', 'number');
  expect(read.ok).toBe(false);
  expect(isLooselyRight(read, 7)).toBe(true);
  expect(isLooselyRight(read, 8)).toBe(false);
  expect(isLooselyRight(readAnswer('Answer: 17 boxes', 'number'), 7)).toBe(false);
  expect(isLooselyRight(readAnswer('Answer: ana bel cor', 'list'), ['ana', 'bel', 'cor'])).toBe(true);
});

describe('properties', () => {
  const type = fc.constantFrom(...answerTypes);
  const pieces = fc.constantFrom(
    'Answer: ',
    '**',
    '`',
    '<think>',
    '</think>',
    '\\boxed{',
    '}',
    '\n',
    '|',
    '7',
    '2031-03-05',
    ' or ',
    '"',
    '<answer>',
    '- ',
    '1. ',
    'the answer is ',
    '{"answer": ',
    '(',
    ')',
    'ana, bel',
    '.',
    ' ',
    '\ud800',
  );

  test('reading never throws and gives the same result twice', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join('')),
        ),
        type,
        (reply, kind) => {
          expect(readAnswer(reply, kind)).toEqual(readAnswer(reply, kind));
        },
      ),
    );
  });

  test('every whole number is read from its digits, and no other number is read from them', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), (value, other) => {
        const read = readAnswer(`Answer: ${value.toLocaleString('en-US')}`, 'number');
        expect(isRight(read, 'number', value)).toBe(true);
        expect(isRight(read, 'number', other)).toBe(value === other);
      }),
    );
  });

  test('two different values joined by "or" are never read as one', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.nat(),
        fc.constantFrom(' or ', ' / ', ' vs ', ', maybe ', ' and not '),
        (left, right, joint) => {
          fc.pre(left !== right);
          expect(readAnswer(`Answer: ${left}${joint}${right}`, 'number').ok).toBe(false);
        },
      ),
    );
  });

  test('what is thought never counts', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom('think', 'thinking', 'reasoning', 'scratchpad'), (value, tag) => {
        expect(readAnswer(`<${tag}>Answer: ${value}</${tag}>`, 'number').ok).toBe(false);
        expect(readAnswer(`<${tag}>Answer: ${value}</${tag}>no idea`, 'number').ok).toBe(false);
      }),
    );
  });
});

test('a secret kept above the label is no doubt about the answer', () => {
  for (const kept of [
    'How the guards are let in I cannot tell.',
    'I cannot tell you the passphrase.',
    'The children may guess on; I do not know the way in.',
  ])
    expect(readAnswer(`${kept}\nAnswer: 1728`, 'number')).toMatchObject({ ok: true, value: '1728' });
  expect(readAnswer('My best guess:\nAnswer: 1728', 'number').ok).toBe(false);
});
