/** The command `evaluate` behaves in the same way in the npm package, in the wheel and in `hub`. */
import { plainRunSize } from '#test/harness/eval-runs.ts';
import { checkVersion as suiteVersion } from '#evals/health/health-check.ts';
import { describe, expect, test } from 'bun:test';
import { usage } from '#client/command/flags.ts';
import { parseOptions, warningsOf } from '#client/command/options.ts';
import { askPython } from '#test/harness/ask-python.ts';
import { languages, useEvaluateDoors } from '#test/harness/evaluate-doors.ts';

/** Lists files and ends the task. */
const officeAgent = `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { case_id, messages, system, tools } = JSON.parse(line);
  const results = messages.filter(({ role }) => role === 'tool');
  const known = system !== '' && tools.some(({ name }) => name === 'task_finish');
  const finish = { id: 'a', name: 'task_finish', arguments: JSON.stringify({ message: 'x' }) };
  const calls = case_id === 'task-2' && results.length === 0 ? [{ name: 'no_tool', arguments: {} }] : [];
  const tool_calls = case_id === 'task-1' || !known ? [] : [...calls, { name: 'notes_read' }];
  const done = results.some(({ content }) => !content.includes('error'));
  console.log(JSON.stringify({ case_id, text: '', tool_calls: done ? [finish] : tool_calls }));
})`;

const { hub, doors, evaluate, lastRunOf } = useEvaluateDoors({ 'office.cjs': officeAgent });

/** `hub` has the code of the npm package, so one run shows that it passes everything on. */
describe.each(['hub', 'python'] as const)('%s', (door) => {
  test('starts the program for each case, and reports a score that fell short', async () => {
    const [junit, markdown, summary] = [`${door}.xml`, `${door}.md`, `${door}-summary.md`];
    const env = { GITHUB_STEP_SUMMARY: summary, HUB_KEY: '{}', TARGET_HEADERS: 'x: y' };
    const program = `cat >/dev/null; env | grep -q -e HUB_TOKEN -e HUB_KEY -e hub_ -e TARGET_ && exit 9; echo 42`;
    const words = ['--product', 'eval-run', '--cmd', program, '--concurrency', '8', '--min-score', '90.5'];
    const files = ['--json', '--junit', junit, '--markdown', markdown];
    const { exitCode, printed, complaints } = await evaluate(door, [...words, ...files], { env });
    expect(complaints).toMatch(/^Run \S+ of health-check has started\.\n(?:\d\d\/69\n)+69\/69\n$/);
    expect(exitCode).toBe(1);
    const result = JSON.parse(printed);
    expect(result).toMatchObject({
      outcome: 'fell_short',
      held: false,
      comparison: null,
      cases: { total: plainRunSize, error: 0 },
      trials: { total: plainRunSize, errors: 0 },
      errors: [],
    });
    const message = `the score is ${result.run.score.toFixed(1)}, at least 90.5 is required`;
    expect(result.bars).toEqual([{ bar: 'min_score', required: '90.5', held: false, explanation: message }]);
    const xml = await doors.read(junit);
    // One for each case, and that of the bars.
    expect(xml).toMatch(
      new RegExp(
        `<testsuite name="health-check ${suiteVersion}" tests="${plainRunSize + 1}" failures="\\d+" errors="0"`,
      ),
    );
    expect(xml).toContain(`run: ${hub.url}/me/runs/${result.run.id}</failure>`);
    const text = await doors.read(markdown);
    expect(text).toStartWith('# Findings\n');
    expect(text).toContain(
      `## \`health-check version ${suiteVersion}\`: a bar fell short\n\n- **Fell short**: \`--min-score 90.5\`: \`${message}\`\n\nResult: `,
    );
    expect(text).toMatch(/\(\\@[\w-]+, \d{4}-\d\d-\d\d \d\d:\d\d UTC, took \d+ \w+\)/);
    expect(text).toMatch(
      /\| Tag \| Passed \| Cases \|\n\|---\|--:\|--:\|\n\| `delivery` \| \d+\.\d% \| 47 \|\n/,
    );
    expect(await doors.read(summary)).toBe(text);
  });
});

describe.each(languages)('%s', (door) => {
  test('passes on the calls of a program that works on the tasks of an agent run', async () => {
    const words = [
      '--product',
      'agent-run',
      '--cmd',
      'node office.cjs',
      '--serve',
      '--json',
      '--min-pass',
      '0',
    ];
    const { agent, exitCode, printed, complaints } = await evaluate(door, words);
    expect([exitCode, complaints]).toEqual([0, expect.stringMatching(/\n(\d+\/12\n)*12\/12\n$/)]);
    expect(JSON.parse(printed).outcome).toBe('held');
    const { cases } = await lastRunOf(agent);
    const tools = cases.map(({ trials }: { trials: { tool_calls?: { name: string }[] }[] }) =>
      trials[0]?.tool_calls?.map(({ name }) => name),
    );
    // The program makes no call in the first task, and a wrong one in the second.
    expect(tools.slice(0, 3)).toEqual([
      [],
      ['no_tool', 'notes_read', 'task_finish'],
      ['notes_read', 'task_finish'],
    ]);
  });
});

describe('flags', () => {
  const long = 'x'.repeat(70);
  const base = '--product eval-run --cmd true';
  const suite = '--suite @ada/refund-desk --cmd true';
  const target = '--product eval-run --target http://a';
  const toRun = 'Give exactly one of --suite, --suite-file, --import, --product to say what to run. Found: ';
  const agent = 'Give exactly one of --cmd, --target, --regrade, --matrix to say what your agent is. Found: ';
  const help = '`evaluate --help` lists the flags.';
  const noValue = (flag: string) =>
    `${flag} needs a value. Write ${flag} VALUE, or ${flag}=VALUE if it begins with --. A variable that is not set gives none.`;
  const wrong: Readonly<Record<string, string>> = {
    '--sweet x': `There is no flag \`--sweet\`. ${help}`,
    suite: `There is no flag \`suite\`. Did you mean --suite? ${help}`,
    '--min_pas=1': `There is no flag \`--min_pas\`. Did you mean --min-pass? ${help}`,
    '--suite': noValue('--suite'),
    [`${base} --label --min-pass=1`]: noValue('--label'),
    [`${base} --baseline `]: noValue('--baseline'),
    [`${suite} --suite @ada/other`]: '--suite is given twice. Give it once.',
    [`${base} --json=yes`]: '--json takes no value. Write --json.',
    '--suite refund-desk --cmd x':
      '--suite must be @OWNER/NAME, such as @ada/refund-desk, but is `refund-desk`.',
    '--cmd x': `${toRun}None.`,
    [`${base} --suite @ada/other`]: `${toRun}--suite and --product.`,
    '--product eval-run': `${agent}None.`,
    '--product eval --cmd x': '--product must be one of eval-run, agent-run, but is `eval`.',
    [`${suite} --trials 9`]: '--trials must be a whole number from 1 to 8, but is `9`.',
    [`${suite} --min-pass 90%`]: '--min-pass must be a number from 0 to 1, such as 0.9, but is `90%`.',
    [`${base} --min-score=101`]: '--min-score must be a number from 0 to 100, such as 70, but is `101`.',
    [`${target} --serve`]: '--serve needs --cmd. Add it, or omit --serve.',
    '--product agent-run --cmd x':
      '--cmd answers one prompt, but --product agent-run needs an agent that calls tools. Add --serve, or use --target.',
    [`${base} --baseline main`]: '--baseline must be latest, branch:LABEL or the id of a run, but is `main`.',
    [`${base} --cache replies --ranked`]: '--cache cannot be combined with --ranked. Omit one of them.',
    [`${base} --baseline branch:${'😀'.repeat(65)}`]: `--baseline must be latest, branch:LABEL or the id of a run, but is \`branch:${'😀'.repeat(53)}…\`.`,
    '--suite-file a.yaml --cmd x --version 9':
      '--version cannot be combined with --suite-file. Omit one of them.',
    [`${base} --fail-on worse`]: '--fail-on needs --baseline. Add it, or omit --fail-on.',
    [`${suite} --baseline latest --fail-on any`]: '--fail-on must be one of broken, worse, but is `any`.',
    [`${target} --concurrency 9`]: '--concurrency must be a whole number from 1 to 8, but is `9`.',
    [`${target} --timeout 9`]: '--timeout must be a whole number from 10 to 600, but is `9`.',
    [`${base} --timeout 1.5`]: '--timeout must be a whole number from 1 to 600, but is `1.5`.',
    [`${base} --label ${long}`]: '--label must have 1 to 64 characters on one line. Shorten it.',
    '--product eval-run --target agent.example':
      '--target must be an http or https URL, but is `agent.example`.',
    [`${base} --hub ftp://x`]: '--hub must be an http or https URL, but is `ftp://x`.',
    [`${target} --protocol mcp`]:
      '--protocol must be one of hub, openai-chat, openai-responses, anthropic-messages, a2a, but is `mcp`.',
    [`${base} --header a:b`]: '--header needs --target. Add it, or omit --header.',
    [`${target} --header secret`]: `--header must be a name and a value, such as 'authorization: Bearer …'.`,
    [`${target}${' --header a:b'.repeat(6)}`]:
      'A target takes 5 headers, but --header and TARGET_HEADERS give 6. Omit some.',
    [`${suite} --judge-model m`]:
      '--judge-model needs --judge-target or --judge-cmd. Add one, or omit --judge-model.',
    [`${base} --max-prompt-tokens 9000`]:
      '--max-prompt-tokens must be one of 8000, 32000, 128000, but is `9000`.',
    [`--suite ${long} --cmd x`]: `--suite must be @OWNER/NAME, such as @ada/refund-desk, but is \`${'x'.repeat(60)}…\`.`,
  };

  test('that are wrong name the flag, the rule and the way out, in both languages', async () => {
    const lines = Object.keys(wrong).map((line) => line.split(' '));
    const complaint = (words: readonly string[]): string => {
      try {
        parseOptions(words, {});
        return 'no fault';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(lines.map(complaint)).toEqual(Object.values(wrong));
    const program = `from agent_hub_client.command._flags import USAGE
from agent_hub_client.command.options import UsageFault, parse_options
def complaint(words):
    try: parse_options(words, {})
    except UsageFault as fault: return str(fault)
print(json.dumps([USAGE, [complaint(words) for words in given]]))`;
    expect(askPython(program, lines)).toEqual([usage, Object.values(wrong)]);
  });

  test('that may be mistakes give a warning, in both languages', () => {
    const odd: readonly (readonly [flags: string, warnings: readonly string[]])[] = [
      [base, []],
      [`${base} --min-pass 0`, []],
      [`${base} --min-score 0`, []],
      [`${base} --min-score 1.5`, []],
      [`${base} --baseline branch:${'😀'.repeat(64)}`, []],
      [`${base} --baseline latest --fail-on worse`, []],
      [
        `${base} --min-score 0.90`,
        ['--min-score 0.9 is a score from 0 to 100. For a share from 0 to 1, use --min-pass 0.9.'],
      ],
      [
        `${base} --min-score 1`,
        ['--min-score 1 is a score from 0 to 100. For a share from 0 to 1, use --min-pass 1.'],
      ],
    ];
    const lines = odd.map(([line]) => line.split(' '));
    const wanted = odd.map(([, warnings]) => warnings);
    expect(lines.map((words) => warningsOf(parseOptions(words, {})))).toEqual(wanted);
    const program = `from agent_hub_client.command.options import parse_options, warnings_of
print(json.dumps([warnings_of(parse_options(words, {})) for words in given]))`;
    expect(askPython(program, lines)).toEqual(wanted);
  });

  test.each([...languages, 'hub'] as const)(
    'exit with 3 when they are wrong, and --help shows them all: %s',
    async (door) => {
      const wrongFlag = await doors.start(door, ['--min-pass', '2']).ended;
      expect(wrongFlag).toMatchObject({
        exitCode: 3,
        printed: '',
        complaints: expect.stringMatching(/^error: --min-pass must/),
      });
      expect(await doors.start(door, ['--help']).ended).toEqual({
        exitCode: 0,
        printed: usage,
        complaints: '',
      });
    },
  );
});
