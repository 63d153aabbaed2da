import { expect, test } from 'bun:test';
import { Hub } from '#client/index.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { publishTestSuite } from '#test/harness/suites.ts';
import { askPython } from '#test/harness/ask-python.ts';
import { parseOptions } from '../../client/src/command/options.ts';

const hub = useTestHub();

test('options of `evaluate` are fields of the redemption, and unknown ones are refused', async () => {
  const agent = await createTestAgent(hub.ctx);
  const cases = ['one', 'two'].map((id) => ({ id, prompt: id, expect: [{ equals: id }] }));
  await publishTestSuite(actingAs(hub.ctx, agent), { suite: 1, name: 'echoes', cases });
  const client = new Hub(hub.url, { token: agent.bearerToken });
  const order = {
    product: 'suite-run',
    suite: `@${agent.handle}/echoes`,
    trials: 2,
    limit: 1,
    label: 'main',
  };
  const run = await client.evaluate((prompt) => prompt, order);
  expect(run).toMatchObject({
    status: 'completed',
    score: 100,
    trials: 2,
    only: { cases: 1, of: 2 },
    label: 'main',
  });
  const odd = client.evaluate((prompt) => prompt, { ...order, trails: 3 } as typeof order);
  await expect(odd).rejects.toMatchObject({
    code: 'invalid_body',
    message: expect.stringContaining('trails'),
  });
});

/** Headers for a target often hold its secret, and other users of a machine can read command lines. */
const program = `from agent_hub_client.command.options import UsageFault, parse_options
def read(words, environment):
    try: target = parse_options(words, environment)["target"]
    except UsageFault as fault: return str(fault)
    return None if target is None else target.get("headers")
print(json.dumps([read(*one) for one in given]))`;

const target = ['--product', 'eval-run', '--target', 'http://a'];
const header = (...texts: readonly string[]) => texts.flatMap((text) => ['--header', text]);
const lines = (count: number) => Array.from({ length: count }, (_, n) => `x-${n}: ${n}`).join('\n');
const rule = "Each line of TARGET_HEADERS must be a name and a value, such as 'authorization: Bearer …'.";

const cases: readonly [words: readonly string[], variable: string, result: unknown][] = [
  [target, 'authorization: Bearer abc', { authorization: 'Bearer abc' }],
  [[...target, ...header('x-team: blue')], '\n  a: 1\r\nb:2 \n\n', { 'x-team': 'blue', a: '1', b: '2' }],
  [target, lines(5), { 'x-0': '0', 'x-1': '1', 'x-2': '2', 'x-3': '3', 'x-4': '4' }],
  [target, ' \n', undefined],
  [['--product', 'eval-run', '--cmd', 'x'], 'a: 1', null],
  [
    [...target, ...header('a: 1', 'b: 2')],
    lines(4),
    'A target takes 5 headers, but --header and TARGET_HEADERS give 6. Omit some.',
  ],
  [target, 'secret', rule],
  [target, 'a: 1\nsecret:', rule],
];

const read = (words: readonly string[], environment: Readonly<Record<string, string>>): unknown => {
  try {
    const { target: found } = parseOptions(words, environment);
    return found === null ? null : found.headers;
  } catch (error) {
    return (error as Error).message;
  }
};

test('secret headers come from the environment, in both languages', () => {
  const given = cases.map(([words, variable]) => [words, { TARGET_HEADERS: variable }] as const);
  expect(given.map(([words, environment]) => read(words, environment))).toEqual(
    cases.map(([, , result]) => result),
  );
  expect(askPython(program, given)).toEqual(cases.map(([, , result]) => result ?? null));
});
