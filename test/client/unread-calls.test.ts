/** Tool calls in forms that are not read: the hub finds them in texts, and both clients in the fields that they drop. */
import { expect, test } from 'bun:test';
import { readCalls, readReply } from '#client/command/program-texts.ts';
import { replyFields } from '#client/reply-fields.ts';
import { hasUnreadCall } from '#domain/targets/tool-calls.ts';
import { askPython } from '#test/harness/ask-python.ts';
import { emptyFields } from './empty-fields.ts';

const calls = [
  '{"tool_calls": [{"name": "refund"}]}',
  "{'toolCalls': [{'toolName': 'refund'}]}",
  '{"functionCall": {"name": "refund", "args": {}}}',
  '{"toolUse": {"name": "refund", "input": {}}}',
  '{"type": "tool_use", "name": "refund", "input": {}}',
  'Now. {"type": "tool_use", "name": "refund", "input": {}}',
  'I refund it:\n```json\n{"name": "refund", "arguments": {"id": 7}}\n```\n',
  `{"toolUse": {"name": "refund"}}${'\n'.repeat(40)}`,
  '[{"type": "tool_use", "name": "refund", "input": {}}]',
  '<tool_call>\n{"name": "refund"}\n</tool_call>',
  '[TOOL_CALLS][{"name": "refund"}]',
  '<|python_tag|>{"name": "refund"}',
  '<function=refund>{"id": 7}</function>',
  '<invoke name="refund"><parameter name="id">7</parameter></invoke>',
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>refund',
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.refund:0',
  '<|channel|>commentary to=functions.refund <|message|>{"id": 7}<|call|>',
  '```json\n{"name": "refund", "arguments": {"id": 7}}\n```',
  '{"name": "refund", "parameters": {"id": 7}}',
  "{'tool': 'refund', 'args': {'id': 7}}",
  '{"tool": "refund", "tool_input": {"id": 7}}',
  '{"name": "refund", "parameters": {"id": 7}}<|eot_id|>',
  '{"name": "refund", "arguments": "{\\"id\\": 7}"}\u200b<|im_end|>\n',
  '{"tool_calls": [{"name": "refund"}]}</s>',
  '~~~json\n{"name": "refund", "parameters": {"id": 7}}\n~~~',
  '```json {"tool_calls": [{"name": "refund"}]} ``` Let me check that.',
  'I refund it:\n```\n{\n  "name": "refund",\n  "arguments": {\n    "id": 7\n  }\n}\n```\nOne moment, please.',
  'I will now refund it.\n{"name": "refund", "arguments": {"id": 7}}\nOne moment, please.',
  '<think>I refund it.</think><|python_tag|>refund.call(id=7)',
  '<think>I refund it.</think><|tool_calls_section_begin|><|tool_call_begin|>functions.refund:0',
  '<think>I refund it. <tool_call>{"name": "refund"}</tool_call>',
  '<think>I refund it. <tool_call>{"name": "refund"}</tool_call></think>\n',
  '<think>I refund it.\n<tool_call>{"name": "refund"}</tool_call>\n</think>\nIt is refunded.',
  '<|channel|>commentary to=functions.refund <|constrain|>json<|message|>{"id": 7}<|call|><|start|>assistant<|channel|>final<|message|>It is refunded.',
  '{"name": "post", "arguments": {"text": "Done. </think> ok"}}',
  '{"name": "refund", "arguments": ""}',
  '{"name": "refund", "parameters": null}',
  '{"name": "refund", "arguments": []}',
  '{"name": "refund", "arguments": {"type": "objection", "id": 4}}',
  '<|TOOL_CALL|>[refund()]',
  '{"choices":[{"message":{"content":null,"tool_calls":[{"function":{"name":"refund"}}]}}]}',
];
const texts = [
  '',
  'I call the tool `refund` now.',
  'I used {"name": "refund", "arguments": {"id": 1}} and it worked.',
  '{"name": "Ada", "input": "7"}',
  '{"tool": "hammer", "price": 7}',
  '{"tool_calls": [], "function_call": null}',
  "{'tool_calls': ( ), 'toolCalls': '', 'function_call': False}",
  '{"name": "Ada Lovelace", "arguments": 2}',
  'f(x) = <function> of x, in the tool_calls of the log',
  'I used `{"name": "refund", "arguments": {"id": 1}}` and\n{"name": "refund", "arguments": {"id": 2}} too.',
  '<think>Others write <tool_call> here, but I know it.</think>Your order ships today.',
  '<think>I could use {"name": "refund", "arguments": {"id": 1}} now.</think>{"total": 3}',
  '{"name": "web", "args": ["--port", "80"]}',
  '{"answer": 5, "tool_calls": 0}',
  '{"paid": true, "tool_call": "none"}',
  'The tool:\n```json\n{"name": "refund", "parameters": {"type": "object", "properties": {}}}\n```\nShall I use it?',
  '{"name": "web",\n  // what it takes\n  "args": {"port": 80}}\nok',
];

test('the hub tells calls from texts', () => {
  expect(calls.filter((text) => !hasUnreadCall(text))).toEqual([]);
  expect(texts.filter(hasUnreadCall)).toEqual([]);
});

const dropped = [
  { text: 'Done.', toolCalls: [{ toolName: 'refund', input: {} }] },
  {
    content: [
      { type: 'text', text: 'Done.' },
      { type: 'tool_use', name: 'refund', input: {} },
    ],
  },
  { content: 'Done.', function_call: { name: 'refund' } },
  { text: 'Sorry.', error: { message: 'overloaded' } },
];

test('both clients refuse what they would drop', () => {
  const why = /form that cannot be read|overloaded/;
  for (const reply of dropped) expect(() => replyFields(reply)).toThrow(why);
  const program = `from agent_hub_client.reply_fields import OddReply, answer_fields
def fault(reply):
    try: return answer_fields(reply)
    except OddReply as error: return str(error)
print(json.dumps([fault(reply) for reply in given]))`;
  expect(askPython(program, dropped)).toEqual(dropped.map(() => expect.stringMatching(why)));
});

test('neither client takes an empty field for an error or a call, nor does --serve', () => {
  const replies = emptyFields.map((fields) => ({ case_id: 'c', text: 'x', ...fields }));
  expect(replies.map((reply) => replyFields(reply))).toEqual(replies.map(() => ({ text: 'x' })));
  for (const reply of replies)
    expect(readReply(JSON.stringify(reply))).toMatchObject({ reply: { text: 'x' }, isUnread: false });
  const program = `from agent_hub_client.reply_fields import answer_fields
from agent_hub_client.command.programs import _read_reply
print(json.dumps([[answer_fields(one), _read_reply(json.dumps(one))[1]] for one in given]))`;
  expect(askPython(program, replies)).toEqual(replies.map(() => [{ text: 'x' }, { text: 'x' }]));
});

const printed: readonly (readonly [printed: object, reply: object | null])[] = [
  [{ text: 'x', tool_calls: [] }, { text: 'x' }],
  [
    { text: 'x', tool_calls: null, error: {}, usage: {} },
    { text: 'x', usage: {} },
  ],
  [{ tool_calls: [{ name: 'refund' }] }, { text: '', tool_calls: [{ name: 'refund' }] }],
  [{ text: 'x' }, null],
  [{ text: 0, tool_calls: [] }, null],
  [{ tool_calls: [] }, null],
  [{ text: 'x', tool_calls: { name: 'refund' } }, null],
  [{ text: 'x', tool_calls: [], toolCalls: [{ name: 'refund' }] }, null],
  [{ text: 'x', tool_calls: [], error: 'overloaded' }, null],
];

test('in a case with tools, both clients read what a program prints', () => {
  const lines = printed.map(([line]) => JSON.stringify(line));
  const replies = printed.map(([, reply]) => reply);
  expect(lines.map((line) => readCalls(line))).toEqual(replies);
  const program = `from agent_hub_client.command.programs import _read_calls
print(json.dumps([_read_calls(line) for line in given]))`;
  expect(askPython(program, lines)).toEqual(replies);
});

test('an error is an error, whatever it holds', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  for (const error of [new Error('boom'), { message: 7n }, cycle, { message: '', cause: new Error('boom') }])
    expect(() => replyFields({ text: 'partial', error })).toThrow('The agent returned an error: ');
});
