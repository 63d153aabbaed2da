/** The grader that is proposed for a reply, which an accepted reply passes. */
import { expect, test } from 'bun:test';
import { checkSuite } from '#evals/own-suite/check-suite.ts';
import type { GraderSpec, SampleReply } from '#evals/own-suite/document.ts';
import { proposeGrader } from '#evals/own-suite/propose-grader.ts';

const schema = {
  type: 'object',
  required: ['total', 'lines', 'mixed', 'none'],
  properties: {
    total: { type: 'number' },
    lines: {
      type: 'array',
      items: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
    },
    mixed: { type: 'array' },
    none: {},
  },
};
const calls = [{ name: 'route', arguments: { queue: 'billing' } }];

test.each<[SampleReply, GraderSpec | null, GraderSpec | null]>([
  [
    '```json\n{"total":9007199254740993,"lines":[{"id":"a"}],"mixed":[1,"b"],"none":null}\n```',
    { json: { schema } },
    null,
  ],
  [
    JSON.stringify(Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`field-${at}`, at]))),
    { json: {} },
    null,
  ],
  [' 25.88\n', { number: 25.88 }, { number: 25.88, not: true }],
  ['Refund', { equals: 'Refund', ignore: ['case'] }, { equals: 'Refund', ignore: ['case'], not: true }],
  ['x'.repeat(61), null, null],
  ['', null, null],
  [{ tool_calls: calls }, { tool_calls: calls }, { tool_calls: calls, not: true }],
])('%j', async (reply, accepted, refused) => {
  expect([proposeGrader(reply, 'accepted'), proposeGrader(reply, 'refused')]).toEqual([accepted, refused]);
  for (const [list, expected] of Object.entries({ accepted, refused })) {
    if (expected === null) continue;
    const one = { prompt: 'x', expect: [expected], [list]: [reply] };
    const checked = await checkSuite(JSON.stringify({ suite: 1, name: 'proposed', cases: [one] }), 'json');
    expect(checked).toMatchObject({ ok: true });
  }
});
