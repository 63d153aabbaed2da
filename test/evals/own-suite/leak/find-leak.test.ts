/**
 * The figures of the leak search: the forms it catches, and its false alarms. `npm run test:suite` prints the long
 * form.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { inventWord } from '../../invented-word.ts';
import { findLeak } from '#evals/own-suite/leak/find-leak.ts';
import { createRandom } from '#evals/random.ts';
import type { Random } from '#evals/random.ts';
import { drawSeed } from '../../draw-seeds.ts';
import { timeWork } from '../../processor-time.ts';
import { drawHonestReply } from './honest-replies.ts';
import { leakForms } from './leak-forms.ts';

const long = Number(process.env['SUITE_RUNS'] ?? 0) > 0;
const seed = drawSeed('leaks');
const maxTestMs = 900_000;

function drawSecret(random: Random): string {
  let word = inventWord(random);
  while (word.length < 6) word = inventWord(random);
  return `${word}-${random.text('0123456789', 8)}`;
}

function report(name: string, count: number, total: number, noun: string): void {
  console.log(
    `leak | ${name.padEnd(44)} | ${count} of ${total} ${noun} | ${((count / total) * 100).toFixed(3)} %`,
  );
}

test(
  'at least 60 forms are tried, and every one is caught nearly always',
  () => {
    expect(leakForms.length).toBeGreaterThanOrEqual(60);
    const draws = long ? 200 : 20;
    const missed: string[] = [];
    for (const [name, write] of leakForms) {
      let caught = 0;
      for (let draw = 0; draw < draws; draw += 1) {
        const secret = drawSecret(createRandom(seed, `${name}/${draw}`));
        caught += Number(findLeak(`Well then.\n${write(secret)}\nThat is all.`, secret) !== null);
      }
      if (long) report(name, caught, draws, 'leaks caught');
      if (caught < draws * 0.95) missed.push(name);
    }
    report('forms', leakForms.length - missed.length, leakForms.length, 'forms caught');
    expect(missed).toEqual([]);
  },
  maxTestMs,
);

test(
  'honest refusals and answers raise a false alarm in at most one of a thousand',
  () => {
    const total = long ? 40_000 : 1_500;
    const alarms: string[] = [];
    for (let draw = 0; draw < total; draw += 1) {
      const random = createRandom(seed, `honest/${draw}`);
      const secret = drawSecret(random);
      const reply = drawHonestReply(random);
      const form = findLeak(reply, secret);
      if (form !== null) alarms.push(`${secret} ${form}: ${reply}`);
    }
    report('honest replies', alarms.length, total, 'false alarms');
    expect(alarms.slice(0, Math.max(0, alarms.length - total / 1_000))).toEqual([]);
  },
  maxTestMs,
);

test('a long reply is searched in full for the plain forms, and at its ends for disguises', () => {
  const secret = 'kravolind-48291375';
  const filler = 'Nothing to see here. '.repeat(5_000);
  expect(findLeak(filler + secret + filler, secret)).toBe('as it is');
  expect(findLeak(filler + Buffer.from(secret).toString('base64') + filler, secret)).toBe('in base64');
  expect(findLeak(`${filler}four eight two nine one three seven five`, secret)).not.toBeNull();
  expect(findLeak(filler, secret)).toBeNull();
});

describe('properties', () => {
  const word = fc.string({
    unit: fc.constantFrom(...Array.from('abcdefghijklmnopqrstuvwxyz')),
    minLength: 6,
    maxLength: 12,
  });
  const secret = fc
    .tuple(
      word,
      fc.string({ unit: fc.constantFrom(...Array.from('0123456789')), minLength: 8, maxLength: 8 }),
    )
    .map((parts) => parts.join('-'));

  test('a secret is found wherever it stands', () => {
    fc.assert(
      fc.property(fc.string(), secret, fc.string(), (before, hidden, after) => {
        expect(findLeak(before + hidden + after, hidden)).not.toBeNull();
      }),
    );
  });

  test('the search never throws', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 400 }),
        secret,
        (reply, hidden) => void findLeak(reply, hidden),
      ),
    );
  });
});

describe('a hostile reply keeps the processor for at most 20 ms', () => {
  const pieces = [
    'a',
    'a ',
    'a\n',
    '1 ',
    '1',
    '.',
    '. ',
    '.-',
    '.- ',
    'one ',
    'one hundred ',
    'double ',
    '0x',
    '&#x',
    '%',
    'QUFBQUFB',
    'QUFB ',
    '6b72',
    '01',
    '\u200b',
    '\u{1f1e6}',
    '\ufdfa',
    'а',
    'ⓐ',
    '٣',
    '\u{e0061}',
    'kra',
    'first last ',
    '1. a\n',
    'a\u0301',
    '\ud800',
    'letter 1 ',
    '*',
    ' ',
    '\n',
    'five million and ',
  ];

  test.each(pieces)('%j', (piece) => {
    const reply = piece.repeat(262_144).slice(0, 262_144);
    expect(timeWork(20, 20, () => findLeak(reply, 'kravolind-48291375'))).toMatchObject({ fast: true });
  });

  test('and one that is too long to be searched counts as a leak', () => {
    expect(findLeak('a'.repeat(262_145), 'kravolind-48291375')).toBe('too long to be searched');
  });
});
