/** The command `evaluate` brings the judges of a suite: a model, a command that asks one, and programs of the file. */
import { describe, expect, test } from 'bun:test';
import { commandsIn } from '#client/command/own-commands.ts';
import { askPython } from '#test/harness/ask-python.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { languages, useEvaluateDoors } from '#test/harness/evaluate-doors.ts';
import { brokenOff } from '#test/harness/pull-server.ts';
import { publishTestSuite } from '#test/harness/suites.ts';

const suite = `suite: 1
name: judged-desk
judges:
  tone: { rubric: Polite., votes: 3, pass_at: 2 }
  code: { command: node judge.cjs }
cases:
  - { id: kind, prompt: Greet me., expect: [{ judge: tone }, { contains: hello }] }
  - { id: curt, prompt: Say no., expect: [{ judge: tone }] }
  - { id: counted, prompt: Count., expect: [{ judge: code }] }
`;
/** Says something else about each case. */
const agent = `case "$(cat)" in *Greet*) echo hello;; *Count*) echo three;; *) echo no;; esac`;
/** Beside the suite, in another folder than the command. */
const program = `const { case_id, reply } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify({ share: case_id === 'counted' && reply.text === 'three' ? 1 : 0, explanation: 'It counts. ' + '😀'.repeat(2_000) }));`;

/** Of the model: it accepts `hello`, with split votes, and nothing else. */
function verdictOn(asked: string, vote: number): string {
  if (asked.includes('practice prompt')) return 'ready';
  const isKind = asked.includes('\nhello\n');
  return isKind && vote !== 2 ? 'It greets.\nVERDICT: PASS' : 'It is curt.\nVERDICT: FAIL';
}

interface Call {
  readonly path: string;
  readonly authorization: string | null;
  readonly body: { readonly model?: string; readonly messages?: unknown; readonly input?: unknown };
}

/** A stand-in for a model in three protocols. It refuses the first call with 429, and breaks off its next response. */
function serveModel() {
  const calls: Call[] = [];
  const votes = new Map<string, number>();
  let refusals = 2;
  const server = Bun.serve({
    port: 0,
    development: false,
    fetch: async (request) => {
      const { pathname: path } = new URL(request.url);
      const body = (await request.json()) as Call['body'];
      const authorization = request.headers.get('authorization');
      calls.push({ path, authorization, body });
      if (authorization !== 'Bearer k-12345678')
        return new Response(`bad key ${authorization}`, { status: 401 });
      refusals -= 1;
      if (refusals === 1) return new Response('', { status: 429, headers: { 'retry-after': '0' } });
      if (refusals === 0) return new Response(brokenOff(), { status: 500 });
      const asked = JSON.stringify(body)
        .replaceAll(String.raw`\n`, '\n')
        .replaceAll(/<<<\w+|\w+>>>/g, '');
      const vote = (votes.get(asked) ?? 0) + 1;
      votes.set(asked, vote);
      const text = verdictOn(asked, vote);
      if (path.endsWith('/responses'))
        return Response.json({ output: [{ content: [{ type: 'output_text', text }] }] });
      if (path.endsWith('/messages')) return Response.json({ content: [{ type: 'text', text }] });
      return Response.json({ choices: [{ message: { content: text } }] });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, calls, [Symbol.asyncDispose]: () => server.stop(true) };
}

const { hub, startAs, evaluate, lastRunOf } = useEvaluateDoors({
  'own/desk.yaml': suite,
  'own/judge.cjs': program,
  'agent.sh': agent,
});

const base = ['--cmd', 'sh agent.sh', '--json'];
const own = [...base, '--suite-file', 'own/desk.yaml'];
const withModel = (url: string, ...more: readonly string[]) => [
  ...own,
  ...`--judge-model m-1 --judge-target ${url}`.split(' '),
  ...more,
];
/** The model accepts it. */
const env = { JUDGE_HEADERS: 'authorization: Bearer k-12345678' };

describe.concurrent.each(languages)('%s', (language) => {
  test.concurrent.each(['openai-chat', 'openai-responses', 'anthropic-messages'])(
    'asks a model over %s as often as a judge votes, and the bars follow the verdicts',
    async (protocol) => {
      await using model = serveModel();
      const words = withModel(model.url, '--judge-protocol', protocol, '--min-pass', '0.6');
      const { agent: who, exitCode, complaints, printed } = await evaluate(language, words, { env });
      expect(exitCode).toBe(0);
      expect(complaints).toMatch(
        /is published\.\nWaiting: .* 429.*\nRun .*\n3\/3\nJudging 3 replies\.\n3\/3\n$/,
      );
      expect(JSON.parse(printed)).toMatchObject({
        cases: { passed: 2, failed: 1, error: 0 },
        judged_by_runner: ['kind', 'curt', 'counted'],
      });
      // One practice prompt, twice because of the refusal, and three votes about two replies.
      expect(model.calls).toHaveLength(9);
      expect(new Set(model.calls.map(({ body }) => body.model))).toEqual(new Set(['m-1']));
      expect(model.calls[0]?.path).toStartWith('/v1/');
      const [kind, curt, counted] = (await lastRunOf(who)).cases;
      expect(kind.trials[0]).toMatchObject({
        status: 'passed',
        judged: [
          { judge: 'tone', model: 'm-1', votes: [{ share: 1, explanation: 'It greets.' }, { share: 0 }, {}] },
        ],
      });
      expect(curt.trials[0].status).toBe('failed');
      expect(counted.trials[0].judged).toMatchObject([
        {
          judge: 'code',
          model: null,
          votes: [{ share: 1, explanation: expect.stringMatching(/^It counts\. 😀/u) }],
        },
      ]);
    },
  );

  test('`--judge-cmd` reads what the hub asks, without the keys of the hub and of the judge', async () => {
    const judge = `env | grep -q -e HUB_TOKEN -e hub_ -e JUDGE_HEADERS && exit 9; printf x; printf '😀%.0s' $(seq 2000); grep -q '^hello$' && printf '\\nVERDICT: PASS' || printf '\\nVERDICT: FAIL'`;
    const words = [...own, '--judge-cmd', judge, '--min-pass', '0.7'];
    const { agent: who, exitCode } = await evaluate(language, words, { env });
    const run = await lastRunOf(who);
    expect([exitCode, run.result.judged.open]).toEqual([1, 0]);
    expect(run.cases[0].trials[0]).toMatchObject({ status: 'passed', judged: [{ model: null }] });
  });

  test('a judge that is missing or does not work costs no run, and the error names the way out', async () => {
    await using model = serveModel();
    const { agent: as, ...none } = await evaluate(language, own);
    expect(none.exitCode).toBe(2);
    expect(none.complaints).toMatch(
      /\nerror: The suite has judges with a rubric\. Add --judge-target URL and --judge-model NAME, or --judge-cmd COMMAND\.\n$/,
    );
    const wrong = { JUDGE_HEADERS: 'authorization: Bearer wrong-secret' };
    const key = await evaluate(language, withModel(model.url), { as, env: wrong });
    expect(key.exitCode).toBe(2);
    expect(key.complaints).toMatch(
      /so no run was started\. The judge responded with status 401: bad key Bearer \[redacted\]\n$/,
    );
    const ref = `@${as.handle}/judged-desk`;
    const remote = await evaluate(language, [...base, '--suite', ref, '--judge-cmd', 'cat'], { as });
    expect(remote.exitCode).toBe(2);
    expect(remote.complaints).toContain(
      'The judge code is the program "node judge.cjs". Only programs that a file of yours',
    );
    expect(await lastRunOf(as)).toBeUndefined();
  });

  test('a run whose judge fails keeps its replies, and `--resume` asks the judge again', async () => {
    await using model = serveModel();
    const failing = `grep -q practice && echo ready || exit 127`;
    const { agent: as, ...first } = await evaluate(language, [...own, '--judge-cmd', failing]);
    const { id } = await lastRunOf(as);
    expect(first.exitCode).toBe(2);
    expect(first.complaints).toMatch(
      new RegExp(`exit code 127\\. The replies are stored: --resume ${id} asks the judges again\\.\\n$`),
    );
    const again = await evaluate(language, withModel(model.url, '--resume', id), { as, env });
    expect(again.exitCode).toBe(0);
    expect(JSON.parse(again.printed).cases).toMatchObject({ passed: 2, error: 0 });
  });

  test('an interrupted judge ends at once, and the replies stay', async () => {
    const who = await createTestAgent(hub.ctx, { tokens: 10 });
    const slow = `grep -q practice && echo ready || sleep 60`;
    const started = startAs(who, language, [...own, '--judge-cmd', slow]);
    while (!started.complaints().includes('Judging')) await Bun.sleep(20);
    started.child.kill('SIGINT');
    const { exitCode, complaints } = await started.ended;
    expect(exitCode).toBe(2);
    expect(complaints).toMatch(
      /\nerror: Interrupted\. The replies are stored: --resume \S+ asks the judges again\.\n$/,
    );
    expect((await lastRunOf(who)).status).toBe('completed');
  });
});

test('a suite says which judges its runner brings, and shows commands only with its cases', async () => {
  const [ada, bob] = await Promise.all([createTestAgent(hub.ctx), createTestAgent(hub.ctx)]);
  const document = Bun.YAML.parse(suite) as object;
  await publishTestSuite(actingAs(hub.ctx, ada), document);
  const path = `/v1/suites/@${ada.handle}/judged-desk`;
  await hub.fetch(path, { method: 'PATCH', token: ada.bearerToken, json: { visibility: 'hidden' } });
  const judgesFor = async (who: TestAgent, part = '') =>
    (await hub.fetch(path + part, { token: who.bearerToken })).body;
  const tone = { name: 'tone', kind: 'rubric' };
  const code = { name: 'code', kind: 'command' };
  expect((await judgesFor(ada)).suite.judges).toEqual([tone, { ...code, command: 'node judge.cjs' }]);
  expect((await judgesFor(bob)).suite.judges).toEqual([tone, code]);
  expect((await judgesFor(ada, '/versions/1')).version.judges[1].command).toBe('node judge.cjs');
  expect((await judgesFor(bob, '/versions/1')).version.judges).toEqual([tone, code]);
});

/** Files with what may be run of them. */
const files: readonly (readonly [file: readonly string[], commands: readonly string[]])[] = [
  [
    [
      'suite: 1',
      '"judges": # of the runner',
      "  a: { rubric: it's, command: python3 a.py, votes: 1 } # command: rm -rf '*'x",
      "  b: { 'command': 'it''s b # 1' }",
      '# not deeper',
      '  c:',
      '    rubric: |',
      '      Say no to',
      '      command: evil',
      '    command: sh c.sh "x y"  # why',
      '    title: It counts',
      '  "d": {"command":"say \\"d\\": {1}"}',
      '  e:',
      '    command: |  # why',
      '      if true',
      '        then sh e.sh',
      '',
      '      fi',
      '    votes: 1',
      '  f: ',
      '    command: >-',
      '      sh',
      '      f.sh',
      '  g:',
      '    { rubric: "a',
      '      command: evil", # command: evil',
      '      command: sh g.sh#1,',
      '    }',
      '  h:',
      '    command:',
      '      "sh h.sh"',
      'cases:',
      '- prompt: |',
      '    judges:',
      '      a: { command: evil }',
      '  refused: [{ tool_calls: [{ name: bash, arguments: { command: rm -rf / } }] }]',
      '  command: evil',
    ],
    [
      'python3 a.py',
      "it's b # 1",
      'sh c.sh "x y"',
      'say "d": {1}',
      'if true\n  then sh e.sh\n\nfi',
      'sh f.sh',
      'sh g.sh#1',
      'sh h.sh',
    ],
  ],
  // Several lines outside a block, and what YAML alone reads.
  [
    [
      'judges:',
      '  a:',
      '    command: sh a.sh',
      '      evil',
      '  b: { command: sh b.sh',
      '    evil }',
      '  c: { command: !!str sh c.sh }',
      String.raw`  d: { command: "sh \x64.sh" }`,
      '  e: { command: [sh, e.sh] }',
      '  f: { rubric: command, title: "command: evil" }',
      '  g: command',
      '  h: { command: "" }',
    ],
    [],
  ],
  [
    ['judges: { a: { command: sh a.sh },', '  b: {"command":"sh b.sh"} }', 'suite: 1'],
    ['sh a.sh', 'sh b.sh'],
  ],
  [
    [
      '\uFEFF{"suite":1,"judges":{"a":{"command":"sh \\"a\\"\\n","b":{"command":"evil"}}},"command":"evil"}',
      '{"id":"x","judges":{"a":{"command":"evil"}}}',
    ],
    ['sh "a"'],
  ],
  [
    ['judges:', '  a: {', '    command: sh a.sh', '  }', '  b:', '    command: sh b.sh', 'name: x'],
    ['sh a.sh', 'sh b.sh'],
  ],
  [['judges: {', '  a: { command: sh a.sh }', '}', 'command: evil'], ['sh a.sh']],
  [['{', '  "cases": [{ "judges": { "a": { "command": "evil" } } }],', '  "judges": {}', '}'], []],
  [['{"judges":{"a":{"command":"evil"}}'], []],
  [[], []],
];

test('of a file, only the commands of its judges are run, in both languages', () => {
  const texts = files.flatMap(([lines]) => [lines.join('\n'), lines.join('\r\n')]);
  const expected = files.flatMap(([, commands]) => [commands, commands]).map((each) => each.toSorted());
  expect(texts.map((text) => [...commandsIn(text)].toSorted())).toEqual(expected);
  const code = `from agent_hub_client.command.own_commands import commands_in
print(json.dumps([sorted(commands_in(file)) for file in given]))`;
  expect(askPython(code, texts)).toEqual(expected);
});
