/** `evaluate` runs a suite, or the cases of another tool, with the files that it names, and sends no other file, in both languages. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createTestAgent } from '#test/harness/agents.ts';
import { useEvaluateDoors } from '#test/harness/evaluate-doors.ts';

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

const { hub, doors, startAs } = useEvaluateDoors(
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`config/${name}`, text])),
);
beforeAll(() => symlink('/etc/passwd', join(doors.folder, 'config/link.yaml')));

describe.each(['npm', 'python'] as const)('the %s package', (language) => {
  test('runs the cases of a configuration, and says what it left out', async () => {
    const agent = await createTestAgent(hub.ctx, { handle: `${language}-import` });
    const config = join(doors.folder, 'config/promptfooconfig.yaml');
    const program = "sed -E 's/^Say (.*) in plain words.*/\\1/'";
    const words = ['--import', config, '--cmd', program, '--min-pass', '1'];
    const ran = await startAs(agent, language, words).ended;
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
    const strict = await startAs(agent, language, [...words, '--strict']).ended;
    expect(strict.exitCode).toBe(2);
    expect(strict.complaints).toContain(
      '--strict allows no loss. Constructs without a counterpart: 2; cases left out: 1. Nothing was run.',
    );
  });

  test('with a baseline, warns of a suite that is named after a folder', async () => {
    const agent = await createTestAgent(hub.ctx, { handle: `${language}-named` });
    const run = (...words: string[]) =>
      startAs(agent, language, [...words, '--cmd', 'cat', '--min-pass', '0']).ended;
    const config = ['--import', join(doors.folder, 'config/promptfooconfig.yaml')];
    const warning =
      'Warning: The suite is named after its folder, config. If a CI names folders after branches, each branch has a suite of its own, and no baseline. Add --name config.';
    expect((await run(...config, '--baseline', 'branch:main')).complaints).toContain(warning);
    for (const words of [config, [...config, '--baseline', 'latest', '--name', 'desk']])
      expect((await run(...words)).complaints).not.toContain('after its folder');
  });

  test('prints the warnings of a suite, also of an unchanged one, and those of an import once', async () => {
    const agent = await createTestAgent(hub.ctx, { handle: `${language}-vague` });
    const run = (...words: string[]) =>
      startAs(agent, language, [...words, '--cmd', 'cat', '--min-pass', '0']).ended;
    const file = join(doors.folder, 'config/vague.yaml');
    for (const state of ['published', 'unchanged']) {
      const { complaints } = await run('--suite-file', file);
      expect(complaints).toContain(
        `/vague version 1 is ${state}.\n${file}: Warning: cases[0].expect[0].json`,
      );
      expect(complaints).toMatch(/Warning: .*requird/);
    }
    const imported = await run('--import', join(doors.folder, 'config/promptfooconfig.yaml'));
    expect(imported.complaints.match(/Warning: `id` is missing/g)).toHaveLength(1);
  });

  test('publishes a suite with the files that it names, and finds the line of a fault in them', async () => {
    const agent = await createTestAgent(hub.ctx, { handle: `${language}-beside` });
    const run = (file: string) => {
      const words = ['--suite-file', join(doors.folder, 'config', file), '--cmd', 'cat', '--min-pass', '1'];
      return startAs(agent, language, words).ended;
    };
    const ran = await run('suite.jsonl');
    expect([ran.complaints, ran.printed, ran.exitCode]).toEqual([
      expect.stringContaining('beside version 1 is published.'),
      expect.stringContaining('1 of 1 case'),
      0,
    ]);
    const faulty = await run('table.yaml');
    expect(faulty.complaints).toContain(`${join(doors.folder, 'config/more/cases.csv')}:3:1: cases[1].id: `);
    expect(faulty.exitCode).toBe(2);
  });

  test.each(['gone.yaml', '.secret.yaml', '/etc/passwd', 'link.yaml'])(
    'runs nothing without %s',
    async (name) => {
      const file = join(doors.folder, 'config/lacking.yaml');
      await writeFile(
        file,
        `prompts: [x]\ntests: [{ assert: [{ type: equals, value: x }] }]\ndefaultTest: file://${name}\n`,
      );
      const agent = await createTestAgent(hub.ctx, { handle: `${language}-${name.replaceAll(/\W/g, '')}` });
      const ran = await startAs(agent, language, ['--import', file, '--cmd', 'cat']).ended;
      expect(ran.complaints).toContain(`lacking.yaml:3:1: defaultTest from ${name}: There is no such file`);
      expect(ran.exitCode).toBe(2);
    },
  );

  test('refuses a file that is not UTF-8, also one that is named', async () => {
    const bytes = Buffer.from('- vars: { word: M\xfcller }\n', 'latin1');
    await writeFile(join(doors.folder, 'config/latin.yaml'), bytes);
    await writeFile(
      join(doors.folder, 'config/names.yaml'),
      'prompts: ["{{word}}"]\ntests: file://latin.yaml\n',
    );
    const agent = await createTestAgent(hub.ctx, { handle: `${language}-latin` });
    for (const name of ['latin.yaml', 'names.yaml']) {
      const words = ['--import', join(doors.folder, 'config', name), '--cmd', 'cat'];
      const ran = await startAs(agent, language, words).ended;
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
    const greedy = createServer((_, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ok: false, error: 'invalid_suite', message: 'x', faults: [], missing }));
    });
    await new Promise<void>((resolve) => {
      greedy.listen(0, '127.0.0.1', resolve);
    });
    const url = `http://127.0.0.1:${(greedy.address() as AddressInfo).port}`;
    const words = ['--import', join(doors.folder, 'config/promptfooconfig.yaml'), '--cmd', 'cat'];
    const ran = await doors.start(language, words, { HUB_URL: url, HUB_TOKEN: 'x' }).ended;
    greedy.close();
    expect(ran.exitCode).toBe(2);
    expect(ran.complaints).toContain(complaint);
  });
});
