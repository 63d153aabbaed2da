/** Assertions that a model or code decides become judges of the runner. */
import { expect, test } from 'bun:test';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireTool } from '#cli/bootstrap/test-tools.mjs';
import { type ImportFormat, importSuite } from '#evals/own-suite/import/import-suite.ts';

async function importText(text: string, format: ImportFormat, grading?: string) {
  const imported = await importSuite(text, format, {
    name: 'imported',
    writesFiles: true,
    ...(grading === undefined ? {} : { grading }),
  });
  if (!imported.ok) throw new Error(JSON.stringify(imported.faults));
  const { document, lost, code: files } = imported;
  return {
    document,
    files,
    lost: lost.map(({ construct }) => construct),
    judges: Object.entries(document.judges ?? {}),
  };
}

const promptfoo = (...assertions: readonly string[]) =>
  `prompts: ["{{q}}"]\ntests:\n  - vars: { q: "Hi?", city: Rome }\n    assert: [${assertions.join(', ')}]\n`;

test.each([
  ['llm-rubric', '"In {{city}}, polite"', /^In Rome, polite$/],
  ['model-graded-closedqa', 'It greets.', /^It greets\.$/],
  ['g-eval', '[It greets., It is short.]', /^It greets\.\nIt is short\.$/],
  ['factuality', 'Rome is old.', /must not contradict it\.\n\nThe reference:\nRome is old\.$/],
  ['model-graded-factuality', 'Rome is old.', /The reference:\nRome is old\.$/],
  ['similar', '[Good day, Hello]', /means the same .*\nGood day\nor: Hello$/],
] as const)('promptfoo: %s becomes a judge with a rubric', async (type, value, rubric) => {
  const { document, judges, lost } = await importText(
    promptfoo(`{ type: ${type}, value: ${value} }`, `{ type: not-${type}, value: ${value} }`),
    'promptfoo',
  );
  expect(judges).toEqual([
    [expect.stringMatching(/^[a-z-]+-[0-9a-f]{8}$/), { rubric: expect.stringMatching(rubric) }],
  ]);
  const name = judges[0]?.[0];
  expect(document.cases[0]?.expect).toEqual([{ judge: name }, { judge: name, not: true }]);
  expect(document.cases[0]?.tags).toBeUndefined();
  expect(lost).toEqual(type === 'similar' ? ['assert: similar', 'assert: not-similar'] : []);
});

test('what a judge cannot have is lost, a set of all passes with each of its judges, and one of any has none', async () => {
  const rubric = (more: string) => `{ type: llm-rubric, value: polite${more} }`;
  const { document, lost } = await importText(
    promptfoo(
      rubric(', provider: openai:x, threshold: 0.8, rubricPrompt: y'),
      `{ type: assert-set, assert: [${rubric('')}, { type: contains, value: a }] }`,
      `{ type: assert-set, threshold: 0.5, assert: [${rubric('')}, { type: contains, value: a }] }`,
      '{ type: context-recall, value: x }',
    ),
    'promptfoo',
  );
  expect(document.cases[0]?.expect).toMatchObject([
    { judge: expect.any(String) },
    { judge: expect.any(String) },
    { contains: 'a' },
  ]);
  expect(lost).toEqual([
    'assert: llm-rubric with provider',
    'assert: llm-rubric with rubricPrompt',
    'assert: llm-rubric with threshold',
    'assert-set',
    'assert: context-recall',
  ]);
  expect(document.cases[0]?.tags).toEqual(['lost-assertions']);
});

test('a suite has a bounded number of judges and of rubrics in a case, and the others are lost', async () => {
  const rubrics = Array.from({ length: 9 }, (_, n) => `{ type: llm-rubric, value: "${n}" }`);
  const { document, lost } = await importText(promptfoo(...rubrics), 'promptfoo');
  expect([document.cases[0]?.expect.length, lost]).toEqual([8, ['assert: llm-rubric']]);
  const long = await importSuite(
    promptfoo(`{ type: llm-rubric, value: "${'x'.repeat(4_001)}" }`),
    'promptfoo',
    {
      name: 'imported',
    },
  );
  expect(long.ok ? [] : long.faults.map(({ message }) => message)).toContainEqual(
    'assert: llm-rubric: A rubric has at most 4000 characters.',
  );
});

test('Inspect and OpenAI Evals: graders that are models become judges', async () => {
  for (const scorer of ['model_graded_qa', 'model_graded_fact']) {
    const { judges } = await importText('{"input":"?","target":["Paris","Lutetia"]}', 'inspect', scorer);
    expect(judges).toEqual([
      [
        expect.stringContaining(scorer),
        { rubric: expect.stringContaining('The reference:\nParis\nor: Lutetia') },
      ],
    ]);
  }
  const fact = await importText('{"input":"?","ideal":"Paris"}', 'openai-evals', 'modelgraded-fact');
  expect(fact.judges[0]?.[1]?.rubric).toContain('The reference:\nParis');
  const closed = await importText(
    '{"input":"?","criteria":"It is short."}',
    'openai-evals',
    'modelgraded-closedqa',
  );
  expect([closed.judges[0]?.[1]?.rubric, closed.lost]).toEqual(['It is short.', []]);
});

const languages = [
  {
    type: 'javascript',
    start: ['node'],
    ending: 'cjs',
    own: 'module.exports = (output, context) => output === context.vars.q + context.config.end;',
    code: {
      line: 'output.length < 5',
      lines: 'const n = output.length;\nreturn { pass: n === 5, score: n, reason: "It has " + n };',
      named: 'context.vars.city === output ? 1 : 0.2',
      odd: 'output.nothing',
    },
  },
  {
    type: 'python',
    start: [requireTool('python3')],
    ending: 'py',
    own: 'def get_assert(output, context):\n    return output == context["vars"]["q"] + context["config"]["end"]\n',
    code: {
      line: 'len(output) < 5',
      lines: 'n = len(output)\nreturn {"pass": n == 5, "score": n, "reason": "It has " + str(n)}',
      named: '1 if context["vars"]["city"] == output else 0.2',
      odd: 'None',
    },
  },
] as const;

test.each(languages)(
  'promptfoo: $type becomes a program beside the suite, which says what the code says',
  async (given) => {
    const { type, start, ending, own, code } = given;
    const folder = mkdtempSync(join(tmpdir(), 'agent-hub-import-'));
    const asserted = (value: string, more = '') =>
      `{ type: ${type}, value: ${JSON.stringify(value)}${more} }`;
    const { document, files, lost } = await importText(
      promptfoo(
        asserted(code.line),
        asserted(code.lines),
        asserted(code.named, ', threshold: 0.5'),
        asserted(`file://own.${ending}`, ', config: { end: "!" }'),
        asserted(code.odd),
      ),
      'promptfoo',
    );
    expect([files.map(({ name }) => name), lost]).toEqual([[`imported.judges.${ending}`], []]);
    for (const { name, text } of files) writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, `own.${ending}`), own);
    const judge = (at: number, text: string) => {
      const name = String(document.cases[0]?.expect[at]?.['judge']);
      const { command = '' } = document.judges?.[name] ?? {};
      const [, ...rest] = command.split(' ');
      const { stdout, exitCode } = Bun.spawnSync([...start, ...rest], {
        cwd: folder,
        stdin: Buffer.from(
          JSON.stringify({ messages: [{ role: 'user', content: 'Hi?' }], reply: { text, tool_calls: [] } }),
        ),
      });
      return exitCode === 0 ? (JSON.parse(stdout.toString()) as unknown) : exitCode;
    };
    const said = (share: number, explanation = '') => ({ share, explanation });
    expect([judge(0, 'four'), judge(0, 'seven 7')]).toEqual([said(1), said(0)]);
    expect([judge(1, 'seven'), judge(1, 'six')]).toEqual([said(1, 'It has 5'), said(0, 'It has 3')]);
    expect([judge(2, 'Rome'), judge(2, 'Oslo')]).toEqual([said(1), said(0)]);
    expect([judge(3, 'Hi?!'), judge(3, 'Hi?')]).toEqual([said(1), said(0)]);
    expect(judge(4, 'x')).toBe(1);
  },
);

test('code is lost where no file can be written', async () => {
  const imported = await importSuite(
    promptfoo('{ type: javascript, value: "true" }', '{ type: equals, value: a }'),
    'promptfoo',
    {
      name: 'imported',
    },
  );
  expect(imported).toMatchObject({
    ok: true,
    code: [],
    document: { cases: [{ expect: [{ equals: 'a' }], tags: ['lost-assertions'] }] },
    lost: [
      { line: 4, construct: 'assert: javascript', why: expect.stringContaining('hub suite import --out') },
    ],
  });
});
