/** `evaluate` runs a suite, or the cases of another tool, with the files that it names, and sends no other file, in both languages. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestAgent } from '#test/harness/agents.ts';
import { languages, useEvaluateDoors } from '#test/harness/evaluate-doors.ts';

const files = {
  'promptfooconfig.yaml':
    'prompts: [file://prompts/ask.txt]\nproviders: [x]\ndefaultTest: { vars: { tone: plain, also: file://tests/a.csv } }\n' +
    'tests: ["tests/**/*.csv", file://tests/more.yaml, file://../near.yaml, "https://x.example/t.csv"]\n"\\e[2J\\u0007odd": 1\n',
  'prompts/ask.txt': 'Say {{word}} in {{tone}} words.',
  'tests/a.csv': 'word,__expected\nhello,hello\n',
  'tests/deep/b.csv': 'word,__expected\nbye,contains: bye\n',
  'tests/.hidden.csv': 'word,__expected\nsecret,secret\n',
  'tests/more.yaml': '- vars: { word: file://word.txt }\n  assert: [{ type: equals, value: "{{word}}" }]\n',
  'word.txt': 'thanks\n',
  '.secret.yaml': '- vars: { word: secret }\n',
  'suite.jsonl':
    '{"suite":1,"name":"beside","include":"more/common.yaml"}\n{"id":"own","vars":{"word":"hello"}}\n',
  'vague.yaml':
    'suite: 1\nname: vague\ncases: [{ id: a, prompt: x, expect: [{ json: { schema: { requird: [x] } } }] }]\n',
  'table.yaml': 'suite: 1\nname: table\ntemplate: "{{word}}"\ncases: { file: more/cases.csv }\n',
  'more/common.yaml': 'template: Say {{word}}\ndefaults: { expect: [{ contains: "{{word}}" }] }\n',
  'more/cases.csv': 'id,word,expected\na,thanks,thanks\nb c,bye,bye\n',
  '../near.yaml': '- vars: { word: near }\n  assert: [{ type: equals, value: near }]\n',
};

const { hub, doors, evaluate } = useEvaluateDoors(
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`config/${name}`, text])),
);
beforeAll(() => symlink('/etc/passwd', join(doors.folder, 'config/link.yaml')));

describe.each(languages)('the %s package', (language) => {
  const at = (name: string) => join(doors.folder, 'config', name);
  const config = () => ['--import', at('promptfooconfig.yaml')];

  test('runs the cases of a configuration, and says what it left out', async () => {
    const program = "sed -E 's/^Say (.*) in plain words.*/\\1/'";
    const words = [...config(), '--cmd', program, '--min-pass', '1'];
    const ran = await evaluate(language, words);
    for (const said of [
      'promptfooconfig.yaml:4  tests from https://x.example/t.csv: ',
      'promptfooconfig.yaml:5  \ufffdodd: ',
      '/config version 1 is published.',
      'providers: a suite does not say which agent runs it',
    ])
      expect(ran.complaints).toContain(said);
    expect(ran.printed).toContain('4 of 4 cases passed');
    expect(ran.printed).toContain('When the suite was imported, 1 case of the source had no counterpart');
    expect(ran.exitCode).toBe(0);
    const strict = await evaluate(language, [...words, '--strict']);
    expect(strict.exitCode).toBe(2);
    expect(strict.complaints).toContain(
      '--strict allows no loss. Constructs without a counterpart: 2; cases left out: 1. Nothing was run.',
    );
  });

  test('with a baseline, warns of a suite that is named after a folder', async () => {
    const as = await createTestAgent(hub.ctx);
    const run = (...words: string[]) =>
      evaluate(language, [...config(), '--cmd', 'cat', '--min-pass', '0', ...words], { as });
    const warning =
      'Warning: The suite is named after its folder, config. If a CI names folders after branches, each branch has a suite of its own, and no baseline. Add --name config.';
    expect((await run('--baseline', 'branch:main')).complaints).toContain(warning);
    for (const words of [[], ['--baseline', 'latest', '--name', 'desk']])
      expect((await run(...words)).complaints).not.toContain('after its folder');
  });

  test('prints the warnings of a suite, also of an unchanged one, and those of an import once', async () => {
    const as = await createTestAgent(hub.ctx);
    const run = (...words: string[]) =>
      evaluate(language, [...words, '--cmd', 'cat', '--min-pass', '0'], { as });
    const file = at('vague.yaml');
    for (const state of ['published', 'unchanged']) {
      const { complaints } = await run('--suite-file', file);
      expect(complaints).toContain(
        `/vague version 1 is ${state}.\n${file}: Warning: cases[0].expect[0].json`,
      );
      expect(complaints).toMatch(/Warning: .*requird/);
    }
    const imported = await run(...config());
    expect(imported.complaints.match(/Warning: `id` is missing/g)).toHaveLength(1);
  });

  test('publishes a suite with the files that it names, and finds the line of a fault in them', async () => {
    const run = (file: string) =>
      evaluate(language, ['--suite-file', at(file), '--cmd', 'cat', '--min-pass', '1']);
    const ran = await run('suite.jsonl');
    expect([ran.complaints, ran.printed, ran.exitCode]).toEqual([
      expect.stringContaining('beside version 1 is published.'),
      expect.stringContaining('1 of 1 case'),
      0,
    ]);
    const faulty = await run('table.yaml');
    expect(faulty.complaints).toContain(`${at('more/cases.csv')}:3:1: cases[1].id: `);
    expect(faulty.exitCode).toBe(2);
  });

  test.each(['gone.yaml', '.secret.yaml', '/etc/passwd', 'link.yaml'])(
    'runs nothing without %s',
    async (name) => {
      await doors.write(
        'config/lacking.yaml',
        `prompts: [x]\ntests: [{ assert: [{ type: equals, value: x }] }]\ndefaultTest: file://${name}\n`,
      );
      const ran = await evaluate(language, ['--import', at('lacking.yaml'), '--cmd', 'cat']);
      expect(ran.complaints).toContain(`lacking.yaml:3:1: defaultTest from ${name}: There is no such file`);
      expect(ran.exitCode).toBe(2);
    },
  );

  test('refuses a file that is not UTF-8, also one that is named', async () => {
    const bytes = Buffer.from('- vars: { word: M\xfcller }\n', 'latin1');
    await doors.write('config/latin.yaml', bytes);
    await doors.write('config/names.yaml', 'prompts: ["{{word}}"]\ntests: file://latin.yaml\n');
    for (const name of ['latin.yaml', 'names.yaml']) {
      const ran = await evaluate(language, ['--import', at(name), '--cmd', 'cat']);
      expect(ran.exitCode).toBe(2);
      expect(ran.complaints).toMatch(/latin\.yaml .*(?:utf-8|UTF-8)/);
    }
  });

  test.each([
    [['id_rsa'], 'which no text sent to it names'],
    [['more.yaml'], 'which no text sent to it names'],
    [['Say'], 'which no text sent to it names'],
    [['**'], 'which no text sent to it names'],
    [[7], 'which no text sent to it names'],
    [[], 'names none'],
    [['tests/more.yaml'], 'again'],
    [['../data/tests/more.yaml'], 'again'],
  ])('refuses a hub that asks for %j', async (missing, complaint) => {
    const body = { ok: false, error: 'invalid_suite', message: 'x', faults: [], missing };
    await using greedy = Bun.serve({ port: 0, fetch: () => Response.json(body, { status: 400 }) });
    const env = { HUB_URL: greedy.url.origin };
    const ran = await evaluate(language, [...config(), '--cmd', 'cat'], { env });
    expect(ran.exitCode).toBe(2);
    expect(ran.complaints).toContain(complaint);
  });
});
