/** Conversations as OpenTelemetry writes them, and as drafts read them. */
import { expect, test } from 'bun:test';
import { readConversation } from '#domain/suites/read-conversation.ts';
import { exportOtlp } from '#evals/export/otlp.ts';
import type { ExportedItem, ExportedTrial } from '#evals/export/run-export.ts';
import { hostile, item, mixed, runOf, trial, whole } from './exported-runs.ts';

const attributesIn = (holder: { attributes: { key: string; value: object }[] }) =>
  Object.fromEntries(holder.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

test('OTLP has one export with one `gen_ai` span for each trial, whose values are those of OTLP/JSON', async () => {
  const lines = (await whole(exportOtlp(mixed))).trimEnd().split('\n');
  const spans = lines.map((line) => JSON.parse(line).resourceSpans[0].scopeSpans[0].spans[0]);
  expect(spans).toHaveLength(8);
  expect(new Set(spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`)).size).toBe(8);
  expect(spans[0]).toMatchObject({
    traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    name: 'invoke_agent ada',
    kind: 3,
    startTimeUnixNano: '1767323099000000000',
    endTimeUnixNano: '1767323100500000000',
    events: [{ name: 'gen_ai.evaluation.result', timeUnixNano: '1767323100500000000' }],
    status: {},
  });
  expect(attributesIn(spans[0])).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Say hello."}]}]',
    'gen_ai.output.messages':
      '[{"role":"assistant","parts":[{"type":"text","content":"hello"}],"finish_reason":"stop"}]',
    'gen_ai.usage.input_tokens': '3',
    'agent_hub.case.id': 'good',
  });
  expect(attributesIn(spans[0].events[0])).toEqual({
    'gen_ai.evaluation.name': '@ada/desk',
    'gen_ai.evaluation.score.value': 1,
    'gen_ai.evaluation.score.label': 'passed',
  });
  expect(spans[5]).toMatchObject({ status: { code: 2 } });
  const silent = attributesIn(spans[5]);
  expect([silent['error.type'], silent['gen_ai.output.messages']]).toEqual(['timeout', undefined]);
});

test('OTLP says of a reply that it was cut if it is stored in part, however long it is', async () => {
  const reply = 'x'.repeat(5_000);
  const spans = [trial({ reply }), trial({ reply: 'x', shortened: true })].map((one) => item('a', [one]));
  const lines = (await whole(exportOtlp(runOf(spans)))).trimEnd().split('\n');
  expect(lines.map((line) => /finish_reason\\":\\"(\w+)/.exec(line)?.[1])).toEqual(['stop', 'length']);
});

test('a span of OTLP becomes the draft of a case with what was asked, and with the reply', async () => {
  const route = { name: 'route', parameters: { type: 'object' } };
  const calls = [{ name: 'route', arguments: { queue: 'billing' } }];
  const user = (content: string) => ({ role: 'user', content }) as const;
  const said = [user('one'), { role: 'assistant', content: 'first' } as const, user('two')];
  const read = async (asked: ExportedItem['asked'], change: Partial<ExportedTrial>) => {
    const run = runOf([{ ...item('a', [trial(change)]), asked }]);
    return readConversation({ span: JSON.parse(await whole(exportOtlp(run))) });
  };
  const asked = { system: 'Be brief.', prompt: 'Route it.', tools: [route] };
  expect(await read(asked, { reply: '', calls })).toEqual({
    asked: { messages: [{ role: 'system', content: 'Be brief.' }, user('Route it.')], tools: [route] },
    reply: { tool_calls: calls },
  });
  const inTurns = await read({ turns: ['one', 'two'] }, { earlier: ['first'] });
  expect(inTurns).toEqual({ asked: { messages: said }, reply: 'hello' });
  const inMessages = await read({ messages: said }, { calls });
  expect(inMessages).toEqual({ asked: { messages: said }, reply: { text: 'hello', tool_calls: calls } });
  for (const text of hostile.filter((each) => each !== '')) {
    const kept = await read({ prompt: text }, { reply: text });
    expect(kept).toEqual({ asked: { prompt: text.toWellFormed() }, reply: text.toWellFormed() });
  }
});
