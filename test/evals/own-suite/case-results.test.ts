/** What the result of a case says about its graders, and numbers at the edges of JSON. */
import { expect, test } from 'bun:test';
import { prepareCase, sampleAsReply } from '#evals/own-suite/grade-reply.ts';

test.each([
  [{ number: 1e300 }, '1e300', true],
  [{ number: 1e-200 }, '1E-200', true],
  [{ number: 5, within: 1e-200 }, '5.1', false],
  [{ json: { at: '/a', number: 3 } }, '{"a":1e300}', false],
  [{ json: { at: '/a', number: 1e300, within: 1e299 } }, '{"a":1.05e300}', true],
] as const)('%j reads numbers as large and as small as JSON has: %s', async (spec, reply, passed) => {
  const grade = prepareCase({ id: 'a', prompt: 'x', expect: [spec] });
  expect(await grade(sampleAsReply(reply), { judge: null })).toMatchObject({ passed });
});

test('a result names the grader, wherever its name stands among the fields', async () => {
  const expected = [
    { flags: 'i', matches: 'X' },
    { min: 1, length: 'words' },
    { required: true, ignore: ['case'], not: true, equals: 'y' },
  ];
  const grade = prepareCase({ id: 'a', prompt: 'x', expect: expected });
  const graded = await grade(sampleAsReply('x'), { judge: null });
  expect('graders' in graded ? graded.graders.map(({ name }) => name) : []).toEqual([
    'matches',
    'length',
    'equals',
  ]);
});
