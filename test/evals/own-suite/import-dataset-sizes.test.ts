/** What a data set can make of itself: records, cells and losses are counted before they are made. */
import { expect, test } from 'bun:test';
import { maxDocumentBytes } from '#evals/own-suite/limits.ts';
import { importText, refusalOf } from './import-text.ts';

const bytes = maxDocumentBytes - 100;
const filled = (text: string) => text.repeat(Math.floor(bytes / text.length));
const csvHead = 'prompt,expected\n';
const nested = (open: string) => open.repeat(bytes / open.length);
const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

test.each([
  ['cells of CSV', 'csv', csvHead + filled(','), 'more than 200000 cells'],
  ['cells of CSV after quotes', 'csv', `${csvHead}"a,""\n",${filled(',')}`, 'more than 200000 cells'],
  ['columns of CSV', 'csv', filled('a,'), 'more than 200000 cells'],
  ['records of CSV', 'csv', csvHead + filled('a\n'), 'more than 10000 records'],
  ['lines of OpenAI Evals', 'openai-evals', filled('{}\n'), 'more than 10000 records'],
  ['a JSON array', 'openai-evals', `[${'{},'.repeat(20_000)}{}]`, 'more than 10000 records'],
  ['values of a line', 'openai-evals', `{"input":[${filled('[],').slice(30)}1]}`, 'more than 500000 values'],
  ['levels of a line', 'openai-evals', `{"input":${nested('[')}`, 'values'],
  ['closed levels of a line', 'openai-evals', `{"input":${deep(40_000)}}`, 'at most 64 levels deep'],
  ['levels of a sample', 'inspect', `{"input":${deep(64)}}`, 'at most 64 levels deep'],
  ['bytes', 'csv', `${csvHead}${filled('a')}${'a'.repeat(200)}`, `at most ${maxDocumentBytes} bytes`],
] as const)(
  'too many %s are refused before they are made, with the limit',
  async (_, format, text, message) => {
    expect(await refusalOf(text, format)).toContain(message);
  },
);

test('a line may be as deep as a document, and JSON in a text of it as deep as a reply', async () => {
  expect(await refusalOf(`{"input":${deep(63)}}`, 'inspect')).toBe('No case could be imported.');
  const lines = [32, 33, 40_000].map((levels) => JSON.stringify({ input: 'a', ideal: deep(levels) }));
  const more = { grading: 'json-match' };
  const { cases, lost } = await importText(lines.join('\n'), 'openai-evals', more);
  expect(cases).toHaveLength(1);
  expect(lost.filter(({ construct }) => construct === 'ideal').map(({ line }) => line)).toEqual([2, 3]);
});

test('marks inside quotes and texts, and empty lines, count as nothing', async () => {
  const marks = `${',[{'.repeat(70_000)}\n`;
  expect(await refusalOf(`${csvHead}"${marks}",x\n${'\n'.repeat(20_000)}a,x\n`, 'csv')).toBe('imported');
  const line = JSON.stringify({ input: `"${',[{'.repeat(20_000)}\\`, ideal: 'x' });
  expect(await refusalOf(`${line}\n${'\n'.repeat(20_000)}`, 'openai-evals')).toBe('imported');
});

const columns = Array.from({ length: 9_000 }, (_, at) => `c${at}`).join(',');
const tests = Array.from({ length: 6_000 }, (_, at) => `  - { a${at}: 1 }\n`).join('');

test.each([
  ['csv', `prompt,expected,${columns}\na,b\nc,d${',e'.repeat(9_000)}\n`, /^4000 more$/],
  ['openai-evals', `{"input":"a","ideal":"b"}\n${'{"a":1,"b":2,"c":3}\n'.repeat(3_000)}`, /^10000 more$/],
  ['promptfoo', `prompts: [x]\ntests:\n  - { assert: [{ type: equals, value: x }] }\n${tests}`, / more$/],
] as const)(
  'of many constructs that %s loses, 5000 are listed and the others counted',
  async (format, text, rest) => {
    const { lost } = await importText(text, format);
    expect(lost).toHaveLength(5_001);
    expect(lost.at(-1)?.construct).toMatch(rest);
    expect(Math.max(...lost.map(({ construct }) => construct.length))).toBeLessThanOrEqual(200);
  },
);

test('choices and right replies of a record are counted before graders are made of them', async () => {
  const sound = '{"input":"a","target":"a"}\n';
  for (const [record, construct] of [
    [{ input: 'a', target: 'A', choices: Array.from({ length: 30_000 }, () => 'x') }, 'choices'],
    [{ input: 'a', target: 'A', choices: filled('x,').slice(0, 300_000) }, 'choices'],
    [{ input: 'a', target: Array.from({ length: 30_000 }, () => 'x') }, 'target'],
  ] as const) {
    const { lost } = await importText(`${sound}${JSON.stringify(record)}\n`, 'inspect');
    expect(lost[0]).toMatchObject({
      line: 2,
      construct,
      why: expect.stringContaining('at most') as string,
    });
  }
});

test('the cases that would take more work to check than a suite may are lost with that reason', async () => {
  const sample = JSON.stringify({ input: 'a', ideal: Array.from({ length: 16 }, () => 'x'.repeat(190)) });
  const { cases, lost } = await importText(`${sample}\n`.repeat(1_500), 'openai-evals');
  expect(cases.length + lost.length).toBe(1_500);
  expect(lost.at(-1)?.why).toContain('Checking the cases up to here takes more than');
});
