/** Programs that reply in odd ways: what SDKs and terminals write is taken, anything else is one error of one trial. */
import { describe, expect, test } from 'bun:test';
import { languages, useEvaluateDoors } from '#test/harness/evaluate-doors.ts';

const tool = { name: 'route', parameters: { type: 'object' } };
const numbers = { id: { $number: '9007199254740993' }, amount: 0.30000000000000004 };
const calling = (id: string) => ({
  id,
  prompt: 'x',
  tools: [tool],
  expect: [{ tool_calls: [{ name: 'route', arguments: numbers }] }],
});
const saying = (id: string, text = 'fine') => ({ id, prompt: 'x', expect: [{ equals: text }] });

const served = {
  suite: 1,
  name: 'served',
  defaults: { timeout_s: 5 },
  cases: [
    ...['openai', 'anthropic', 'ai-sdk', 'numbered', 'null-text'].map(calling),
    ...'fraction text-usage half more-fields after-log colours content blocks logged progress byte-order'
      .split(' ')
      .map((id) => saying(id)),
    ...'no-name not-json too-long number late failed refused joined nested infinite long-name 7'
      .split(' ')
      .map((id) => saying(id)),
    { id: 'wide', prompt: 'x', expect: [{ contains: 'é' }] },
    saying('unfinished'),
  ],
};
const args = '{"id":9007199254740993,"amount":0.30000000000000004}';
/** By case, what is printed after its id. */
const lines: Readonly<Record<string, string>> = {
  openai: `"text":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"route","arguments":${JSON.stringify(args)}}}]`,
  anthropic: `"text":"","tool_calls":[{"type":"tool_use","id":"c1","name":"route","input":${args}}]`,
  'ai-sdk': `"tool_calls":[{"toolCallId":"c1","toolName":"route","input":${args}}]`,
  numbered: `"text":null,"tool_calls":[{"id":7,"name":"route","arguments":${args}}]`,
  'null-text': `"text":null,"tool_calls":[{"name":"route","arguments":${args}}],"usage":null`,
  fraction: '"text":"fine","usage":{"prompt_tokens":12.5,"completion_tokens":3,"cost":0.001}',
  'text-usage': '"text":"fine","usage":"12 tokens"',
  half: '"text":"fine\\ud83d","finish_reason":"stop"',
  'more-fields': '"text":"fine","model":"m","finish_reason":"stop","tool_calls":[]',
  'after-log': '"text":"fine"',
  colours: '"text":"\\u001b[1;32mfine\\u001b[0m"',
  'no-name': '"text":"fine","tool_calls":[{"id":"c1"}]',
  infinite: '"text":"fine","tool_calls":[{"name":"route","arguments":{"amount":1e999}}]',
  'not-json': '"text":fine',
  'too-long': `"text":"${'x'.repeat(300_000)}"`,
  number: '"text":5',
  'long-name': `"text":"fine","tool_calls":[{"name":"${'x'.repeat(300)}"}]`,
  content: '"role":"assistant","content":"fine","tool_calls":null',
  blocks:
    '"content":[{"type":"thinking","thinking":"…"},{"type":"text","text":"fi"},{"type":"text","text":"ne"}]',
  logged: '"text":"fine"',
  failed: '"text":"","error":{"message":"The model is overloaded.","code":529}',
  refused: '"error":529',
  nested: `"text":"fine","raw":${'['.repeat(3_000)}${']'.repeat(3_000)}`,
  // In UTF-8 within the limit, with escapes far beyond.
  wide: `"text":"${'é'.repeat(130_000)}"`,
  practice: '"text":"ready"',
};
const serve = `const lines = require('./lines.json');
console.log('starting up');
console.log(JSON.stringify({ level: 30, msg: 'ready' }));
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { case_id } = JSON.parse(line);
  if (case_id === 'after-log') console.log('{"case": "broken');
  if (case_id === 'logged') console.log('{"level":30,"case_id":"logged","msg":"asking"}');
  const odd = {
    late: '',
    progress: '10%\\r20%\\r{"case_id":"progress","text":"fine"}\\r\\n',
    'byte-order': '\\ufeff{"case_id":"byte-order","text":"fine"}\\n',
    joined: '{"case_id":"x","text":"x"}{"case_id":"joined","text":"fine"}\\n',
    7: '{"case_id":7,"text":"fine"}\\n',
    unfinished: '{"case_id":"unfinished","text":"fine"}',
  };
  process.stdout.write(odd[case_id] ?? '{"case_id":"' + case_id + '",' + lines[case_id] + '}\\n');
  if (case_id === 'unfinished') process.exitCode = 0, process.stdin.destroy();
});`;

const system = 'Be short.';
const started = {
  suite: 1,
  name: 'started',
  defaults: { timeout_s: 30 },
  system,
  cases: [
    saying('colours'),
    { ...saying('key'), prompt: 'complain' },
    { ...saying('reopened', 'one\ntwo'), prompt: 'reopen' },
    { ...saying('detached'), prompt: 'detach' },
    { ...saying('nested', '['.repeat(3_000)), tools: [tool] },
    {
      id: 'turns',
      messages: [
        { role: 'user', content: 'Add 1.' },
        { role: 'assistant', content: '1' },
        { role: 'user', content: 'Echo.' },
      ],
      expect: [{ equals: `[system]\n${system}\n\n[user]\nAdd 1.\n\n[assistant]\n1\n\n[user]\nEcho.` }],
    },
  ],
};
const each = `given="$(cat /dev/stdin)"
case "$given" in
  *Echo*) printf '%s' "$given";;
  *reopen*) echo one; echo two >/dev/stdout;;
  *detach*) setsid sleep 40 & echo fine;;
  *nested*) printf '[%.0s' $(seq 3000);;
  *complain*) printf '\\033[31mcannot use %s, nor sk-abcdefghijklmnopqrst\\033[0m\\n' "$MODEL_KEY" >&2; exit 3;;
  *) printf '\\033[1mfine\\033[0m\\n';;
esac`;

/** By case, what is printed; `CASE` stands for the field with its id. `test/client/unread-calls.test.ts` has every form. */
const unreadCalls: Readonly<Record<string, string>> = {
  'other-name': '{CASE"text":"I looked.","toolCalls":[{"toolName":"route"}]}',
  'in-text': `{CASE"text":${JSON.stringify('```json\n{"tool_calls":[{"name":"route"}]}\n```')}}`,
};
const printedOnce: Readonly<Record<string, string>> = {
  ...unreadCalls,
  'in-text': '```json\n{"tool_calls":[{"name":"route"}]}\n```',
  log: 'asking\n{"tool_calls":[{"name":"route"}]}',
  'no-parser': '<tool_call>{"name":"route","arguments":{}}</tool_call>',
};
/** No calls. It is asked first, because a program that replies to none of the first cases ends the run. */
const noCalls = { none: '{CASE"text":"Done.","tool_calls": [],"toolCalls": null}' };
const called = (name: string, replies: Readonly<Record<string, string>>) =>
  JSON.stringify({
    suite: 1,
    name,
    tools: [tool],
    cases: Object.keys({ ...noCalls, ...replies }).map((id) => ({
      id,
      prompt: 'x',
      expect: [{ calls: { never: ['route'] } }],
    })),
  });
const callProgram = `const replies = ${JSON.stringify({ ...printedOnce, ...noCalls })};
const served = ${JSON.stringify({ ...unreadCalls, ...noCalls })};
const serves = process.argv[2] === 'serve';
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  if (!line.startsWith('{')) return console.log('ready');
  const { case_id: id } = JSON.parse(line);
  const field = serves ? '"case_id":' + JSON.stringify(id) + ',' : '';
  console.log(((serves ? served : replies)[id] ?? '{CASE"text":"ready"}').replace('CASE', field));
});`;

const { evaluate, lastRunOf } = useEvaluateDoors({
  'called-once.json': called('called-once', unreadCalls),
  'called-each.json': called('called-each', printedOnce),
  'calls.cjs': callProgram,
  'served.json': JSON.stringify(served),
  'started.json': JSON.stringify(started),
  'lines.json': JSON.stringify(lines),
  'serve.cjs': serve,
  'each.sh': each,
});

interface Trial {
  readonly status: string;
  readonly error_message?: string;
  readonly usage?: object;
}

describe.concurrent.each(languages)('%s', (door) => {
  const run = async (words: readonly string[]) => {
    const env = { MODEL_KEY: 'correct-horse-battery' };
    const { agent, exitCode, complaints, printed } = await evaluate(door, words, { env });
    expect([exitCode, complaints]).toEqual([0, expect.stringContaining('has started')]);
    const cases: readonly { case_id: string; trials: Trial[] }[] = (await lastRunOf(agent)).cases;
    return { trials: Object.fromEntries(cases.map((one) => [one.case_id, one.trials[0]!])), printed };
  };

  test('a program that serves may print logs, calls of SDKs and odd usage, and other lines cost one trial each', async () => {
    const serving = ['--cmd', 'node serve.cjs', '--serve', '--concurrency', '1'];
    const { trials } = await run(['--suite-file', 'served.json', ...serving]);
    const failed = Object.fromEntries(
      Object.entries(trials).flatMap(([id, { status, error_message: why }]) =>
        status === 'passed' ? [] : [[id, status === 'error' ? why : status]],
      ),
    );
    expect(failed).toEqual({
      half: 'failed',
      'no-name': '`tool_calls[0]` of the agent must have a name.',
      infinite: '`tool_calls[0]` of the agent has arguments that JSON cannot express.',
      'not-json': 'The program printed a line that is not JSON.',
      'too-long': 'The program printed a line of more than 262144 characters.',
      number: 'The program printed a line without `text`.',
      'long-name': '`answers[0].tool_calls[0].name` must be at most 200 characters long; it has 300.',
      failed: 'The model is overloaded.',
      refused: '529',
      joined: 'The program printed a line that is not JSON.',
      // Python reads fewer levels.
      ...(door === 'python' ? { nested: 'The program printed a line that is not JSON.' } : {}),
      // The time is that of the suite.
      late: expect.stringContaining('The program took longer than 5 s (--timeout).'),
    });
    expect(trials['fraction']?.usage).toEqual({ input_tokens: 13, output_tokens: 3, cost_usd: 0.001 });
  });

  test.each([
    ['called-once.json', 'serve', unreadCalls, ['--serve']],
    ['called-each.json', '', printedOnce, []],
  ] as const)(
    'calls in %s that cannot be read are an error, not a text',
    async (suite, how, replies, more) => {
      const words = ['--suite-file', suite, '--cmd', `node calls.cjs ${how}`, '--concurrency', '1', ...more];
      const { trials } = await run(words);
      const reason = expect.stringContaining('{"tool_calls": [{"name": "…", "arguments": {…}}]}');
      expect(trials).toMatchObject({
        ...Object.fromEntries(
          Object.keys(replies).map((id) => [id, { status: 'error', error_message: reason }]),
        ),
        ...Object.fromEntries(Object.keys(noCalls).map((id) => [id, { status: 'passed' }])),
      });
    },
  );

  test('a program that is started for each case gets instructions and earlier turns, and its keys and colours go no further', async () => {
    const { trials, printed } = await run(['--suite-file', 'started.json', '--cmd', 'sh each.sh']);
    expect(trials).toMatchObject({
      colours: { status: 'passed' },
      turns: { status: 'passed' },
      nested: { status: 'passed' },
      detached: { status: 'passed' },
      // Node gives programs sockets, which cannot be opened.
      reopened: { status: door === 'python' ? 'passed' : 'error' },
      key: {
        status: 'error',
        error_message: 'The program ended with exit code 3: cannot use [redacted], nor [redacted]',
      },
    });
    expect(printed).not.toContain('battery');
  });
});
