/** Replies of which a grader cannot tell whether they pass. */
import { expect, test } from 'bun:test';
import { passes, replyOf } from './grader-tables.ts';

const block = '```json\n{"a":1}\n```\n';
const manyCalls = Array.from({ length: 129 }, () => ({ name: 'refund', arguments: {} }));

test.each([
  [{ choice: 'Refund', options: ['Refund', 'Voucher'] }, replyOf('Refund and a voucher')],
  ...['Maybe Refund', 'Refund?', 'If x > 0 then the answer is Refund.', 'not Refund'].map(
    (text) => [{ choice: 'Refund', options: ['Refund', 'Voucher'] }, replyOf(text)] as const,
  ),
  [{ json: { at: '/a', equals: 1 } }, replyOf('{"a":1}\n{"a":2}')],
  [{ list: ['a'] }, replyOf('Answer: a\nAnswer: b')],
  [{ list: ['a', 'b'] }, replyOf('Not these:\n- a\n- b')],
  [{ contains: 'a' }, replyOf('<think>b')],
  [{ number: 42 }, replyOf('42, or 43')],
  [{ number: 42 }, replyOf('42 or more')],
  [{ json: { at: '/a', equals: 1 } }, replyOf(block + block)],
  [{ json: {} }, replyOf('['.repeat(40) + ']'.repeat(40))],
  ...['{'.repeat(200), `[${'1,'.repeat(2_000)}1]`].map(
    (text) => [{ json: { anywhere: true, at: '/a', equals: 1 } }, replyOf(`"${text}`)] as const,
  ),
  [{ rows: [['a'], ['1']] }, replyOf('| a |\n|---|\n| 1 |\n\n| 2 |')],
  [{ equals: 'A', read: 'answer' }, replyOf('Answer: A\nAnswer: B')],
  [{ similar: 'edit', to: ['s'.repeat(7_000)], at_least: 0.8 }, replyOf('s'.repeat(8_001))],
  [
    { tool_calls: [{ name: 'refund' }], extra: 'allow' },
    { ...replyOf('x'), tool_calls: manyCalls },
  ],
  [{ calls: { arguments: { refund: { type: 'object' } } } }, { ...replyOf('x'), tool_calls: manyCalls }],
] as const)('a reply of which %j cannot tell fails with and without not', async (spec, reply) => {
  for (const each of [
    spec,
    { ...spec, not: true },
    { not: spec },
    { not: { any: [spec, { equals: '-' }] } },
    { not: { not: spec } },
    { all: [{ not: { all: [spec, { not: { equals: '-' } }] } }] },
  ])
    expect(await passes(each, reply)).toBe(false);
});
