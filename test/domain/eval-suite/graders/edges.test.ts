/**
 * Edge cases of the graders where a small fault would change a verdict or its message, found with `npm run
 * mutate`.
 */
import { describe, expect, test } from 'bun:test';
import { gradeReply } from '#domain/eval-suite/index.ts';
import type { GraderSpec } from '#domain/eval-suite/graders/grader.ts';
import { applyGrader } from './fixture.ts';

const date: GraderSpec = { name: 'answer-date', parameters: { expected: '2031-03-05' } };
const digits: GraderSpec = { name: 'answer-digits', parameters: { expected: '12', base: 3 } };
const word: GraderSpec = { name: 'answer-text', parameters: { expected: 'Vorel', caseSensitive: false } };
const stopped: GraderSpec = { name: 'answer-text', parameters: { expected: 'No.', caseSensitive: true } };
const names: GraderSpec = { name: 'answer-set', parameters: { expected: ['Ana', 'Bel'] } };
const list: GraderSpec = { name: 'answer-list', parameters: { expected: ['ana', 'bel'] } };
const document: GraderSpec = { name: 'bare-json', parameters: { root: 'object' } };
const long = 'x'.repeat(4_001);

describe('a reply is quoted without its surrounding white space', () => {
  test.each([
    [date, ' May ', '"May"'],
    [digits, ' xyz ', '"xyz"'],
    [word, ` ${long} `, '(4001 characters)'],
    [names, ` ${long} `, '(4001 characters)'],
    [list, ` ${long} `, '(4001 characters)'],
    [document, ' x ', '"x"'],
    [document, ' [1] ', '"[1]"'],
    [document, ' so: {"a":1} ', '"so: {\\"a\\":1}"'],
  ] as const)('by the %#. grader', (spec, reply, quoted) => {
    const { message, passed } = applyGrader(spec, reply);
    expect(passed).toBe(false);
    expect(message).toEndWith(`${quoted}.`);
  });
});

describe('an answer is extracted', () => {
  test.each([
    [date, '5. March 2031.'],
    [word, 'Vorel .'],
    [stopped, 'No.'],
  ] as const)('by %j in %j', (spec, reply) => {
    expect(applyGrader(spec, reply)).toMatchObject({ passed: true });
  });

  test('as no date when its month is 13 or 0', () => {
    for (const reply of ['2031-13-05', '2031-00-05']) {
      expect(applyGrader(date, reply).message).toBe(
        `Expected the date 2031-03-05, found no date in "${reply}".`,
      );
    }
  });

  test.each([
    ['"b', 'a"b", c'],
    ['b"', '"b"x, c'],
  ])('with quotation marks only if they enclose the item: not %j in %j', (first, reply) => {
    const spec: GraderSpec = { name: 'answer-list', parameters: { expected: [first, 'c'] } };
    expect(applyGrader(spec, reply).passed).toBe(false);
  });
});

test('a check that also fails loosely reports no loose verdict', () => {
  const { checks } = gradeReply(
    {
      index: 0,
      id: 'a-1',
      category: 'a',
      kind: 'a',
      difficulty: 'easy',
      prompt: '',
      weight: 1,
      graders: [{ name: 'no-comma', parameters: {} }],
      scoring: 'weighted',
      expected: '',
    },
    'a, b',
  );
  expect(checks).toStrictEqual([{ name: 'no-comma', passed: false, message: 'Expected no comma, found 1.' }]);
});

test.each([
  ['reversed', Array.from('kravolindest48291375').toReversed().join('')],
  ['in rot13', 'xenibyvaqrfg-48291375'],
  ['in base64', Buffer.from('so: kravolindest-48291375').toString('base64')],
  ['in hex', Buffer.from('kravolindest-48291375').toString('hex')],
  ['in plain text', 'kravolindest'],
])('a secret is detected %s in the middle of a reply too', (form, leak) => {
  const spec: GraderSpec = { name: 'secret-absent', parameters: { secret: 'kravolindest-48291375' } };
  const { passed, message } = applyGrader(spec, `Well then. ${leak} That is all.`);
  expect(passed).toBe(false);
  expect(message).toEndWith(` ${form}.`);
});
