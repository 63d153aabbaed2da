/** Assertions that a model or code decides become judges of the runner. */
import { expect, test } from 'bun:test';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireTool } from '#cli/bootstrap/test-tools.mjs';
import type { ImportOptions } from '#evals/own-suite/import/import-suite.ts';
import type { ImportFormat } from '#evals/own-suite/import/imported.ts';
import { importText } from './import-text.ts';

async function importJudges(
  text: string,
  format: ImportFormat = 'promptfoo',
  more: Partial<ImportOptions> = {},
) {
  const imported = await importText(text, format, { writesFiles: true, ...more });
  return { ...imported, lost: imported.lost.map(({ construct }) => construct) };
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
  const { document, judges, lost } = await importJudges(
    promptfoo(`{ type: ${type}, value: ${value} }`, `{ type: not-${type}, value: ${value} }`),
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
  const { document, lost } = await importJudges(
    promptfoo(
      rubric(', provider: openai:x, threshold: 0.8'),
      `{ type: assert-set, assert: [${rubric('')}, { type: contains, value: a }] }`,
      `{ type: assert-set, threshold: 0.5, assert: [${rubric('')}, { type: contains, value: a }] }`,
      '{ type: context-recall, value: x }',
    ),
  );
  expect(document.cases[0]?.expect).toMatchObject([
    { judge: expect.any(String) },
    { judge: expect.any(String) },
    { contains: 'a' },
  ]);
  expect(lost).toEqual([
    'assert: llm-rubric with provider',
    'assert: llm-rubric with threshold',
    'assert-set',
    'assert: context-recall',
  ]);
  expect(document.cases[0]?.tags).toEqual(['lost-assertions']);
});

test('a prompt of the source for its judges is part of the rubric', async () => {
  const chat = [
    { role: 'system', content: 'Grade for {{city}}.' },
    { role: 'user', content: 'Is "{{ output }}" {{rubric}}?' },
  ];
  const rubricOf = async (rubricPrompt: unknown, more: object = {}) => {
    const assertion = { type: 'llm-rubric', value: 'a "polite" one', ...more };
    const config = {
      prompts: ['{{q}}'],
      defaultTest: { options: { rubricPrompt } },
      tests: [{ vars: { q: 'Hi?', city: 'Rome' }, assert: [assertion] }],
    };
    const { judges, lost } = await importJudges(JSON.stringify(config));
    return [judges[0]?.[1]?.rubric?.split('\n\n').slice(1).join('\n\n'), lost];
  };
  const said = 'Grade for Rome.\n\nIs "(the reply)" a "polite" one?';
  expect(await rubricOf(JSON.stringify(chat))).toEqual([said, []]);
  expect(await rubricOf(chat)).toEqual([said, []]);
  const own = await rubricOf('unused', { rubricPrompt: 'Is {{output}} good?' });
  expect(own).toEqual(['Is (the reply) good?', []]);
  for (const lost of ['{% if a %}{{output}}{% endif %}', 'x'.repeat(4_000)])
    expect(await rubricOf(lost)).toEqual(['', ['assert: rubricPrompt']]);
});

test('a suite has a bounded number of judges and of rubrics in a case, and the others are lost', async () => {
  const rubrics = Array.from({ length: 9 }, (_, n) => `{ type: llm-rubric, value: "${n}" }`);
  const { document, lost } = await importJudges(promptfoo(...rubrics));
  expect([document.cases[0]?.expect.length, lost]).toEqual([8, ['assert: llm-rubric']]);
  const long = promptfoo(`{ type: llm-rubric, value: "${'x'.repeat(4_001)}" }`);
  await expect(importText(long)).rejects.toThrow('assert: llm-rubric: A rubric has at most 4000 characters.');
});

const inspected = '{"input":"?","target":["Paris","Lutetia"]}';

test.each([
  ['inspect', 'model_graded_qa', inspected, /The reference:\nParis\nor: Lutetia/],
  ['inspect', 'model_graded_fact', inspected, /The reference:\nParis\nor: Lutetia/],
  ['openai-evals', 'modelgraded-fact', '{"input":"?","ideal":"Paris"}', /The reference:\nParis/],
  ['openai-evals', 'modelgraded-closedqa', '{"input":"?","criteria":"It is short."}', /^It is short\.$/],
] as const)('%s: the grader %s, which is a model, becomes a judge', async (format, grading, text, rubric) => {
  const { judges, lost } = await importJudges(text, format, { grading });
  expect(judges).toEqual([[expect.stringContaining(grading), { rubric: expect.stringMatching(rubric) }]]);
  expect(lost).toEqual([]);
});

const languages = [
  {
    type: 'javascript',
    start: ['node'],
    ending: 'cjs',
    own: 'module.exports = (output, context) => output === context.vars.q + context.config.end;',
    code: {
      line: 'output.length < 5',
      lines:
        'const n = output.length;\nconsole.log(n);\nreturn { pass: n === 5, score: n, reason: "It has " + n };',
      named: 'context.vars.city === output ? 1 : 0.2',
      odd: 'output.nothing',
      declared: "const text = 'a;b'; let n = output.length; text + n === 'a;b5';",
      called: 'output[0].function.name === "f" && JSON.parse(output[0].function.arguments).a',
      word: '({ pass: "false", score: 1 })',
      noResults: ['Number(output)', '[]', '({ score: 0.2 })'],
      broken: 'output ===',
      long: '({ pass: true, score: 1, reason: "😀".repeat(4000) })',
      score: 'output.length / 10',
    },
  },
  {
    type: 'python',
    start: [requireTool('python3')],
    ending: 'py',
    own: 'def get_assert(output, context):\n    return output == context["vars"]["q"] + context["config"]["end"]\n',
    code: {
      line: 'len(output) < 5',
      lines: 'n = len(output)\nprint(n)\nreturn {"pass": n == 5, "score": n, "reason": "It has " + str(n)}',
      named: '1 if context["vars"]["city"] == output else 0.2',
      odd: 'None',
      declared: '"TRUE" if len(output) == 5 else "0"',
      called: 'output[0]["function"]["name"] == "f" and json.loads(output[0]["function"]["arguments"])["a"]',
      word: '{"pass": "false", "score": 1}',
      noResults: ['float("nan")', '[]', '{"score": 0.2}'],
      broken: 'output ==',
      long: '{"pass": True, "score": 1, "reason": "😀" * 4000}',
      score: 'len(output) / 10',
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
    const named = asserted(code.named, ', threshold: 0.5');
    const file = asserted(`file://own.${ending}`, ', config: { end: "!" }');
    const others = [code.odd, code.declared, code.called, code.word].map((each) => asserted(each));
    const imported = await importJudges(
      promptfoo(asserted(code.line), asserted(code.lines), named, file, ...others),
    );
    expect(imported.code.map(({ name }) => name)).toEqual([`imported.judges.${ending}`]);
    expect(imported.lost).toEqual([]);
    const titles = imported.judges.map(([, { title }]) => title);
    expect(titles.slice(0, 2)).toEqual([code.line, code.lines]);
    writeFileSync(join(folder, `own.${ending}`), own);
    const judge = (at: number, text: string, calls: readonly object[] = [], made = imported) => {
      for (const file of made.code) writeFileSync(join(folder, file.name), file.text);
      const { cases, judges } = made.document;
      const spec = cases[0]?.expect[at];
      const { command = '' } = judges?.[String(spec?.['judge'])] ?? {};
      const [, ...rest] = command.split(' ');
      const asked = { messages: [{ role: 'user', content: 'Hi?' }], reply: { text, tool_calls: calls } };
      const stdin = Buffer.from(JSON.stringify(asked));
      const { stdout, exitCode } = Bun.spawnSync([...start, ...rest], { cwd: folder, stdin });
      return exitCode === 0 ? (JSON.parse(stdout.toString()) as unknown) : exitCode;
    };
    const said = (share: number, explanation = '') => ({ share, explanation });
    expect([judge(0, 'four'), judge(0, 'seven 7')]).toEqual([said(1), said(0)]);
    expect([judge(1, 'seven'), judge(1, 'six')]).toEqual([said(1, 'It has 5'), said(0, 'It has 3')]);
    expect([judge(2, 'Rome'), judge(2, 'Oslo')]).toEqual([said(1), said(0)]);
    expect([judge(3, 'Hi?!'), judge(3, 'Hi?')]).toEqual([said(1), said(0)]);
    // promptfoo fails a reply for which the code fails, also where the assertion is negated.
    const failed = { share: 0, explanation: expect.stringContaining('TypeError') };
    expect([judge(4, 'x'), judge(7, 'x')]).toEqual([failed, failed]);
    expect([judge(5, 'seven'), judge(5, 'six')]).toEqual([said(1), said(0)]);
    expect(judge(6, '', [{ name: 'f', arguments: { a: true } }])).toEqual(said(1));
    const negated = [code.line, code.odd].map((each) => asserted(each).replace(type, `not-${type}`));
    const turned = await importJudges(promptfoo(...negated));
    expect(turned.document.cases[0]?.expect[0]).toEqual({ judge: expect.stringContaining(type) });
    expect([judge(0, 'four', [], turned), judge(0, 'seven 7', [], turned)]).toEqual([said(0), said(1)]);
    expect(judge(1, 'x', [], turned)).toEqual(failed);
    const odd = [...code.noResults, code.broken].map((each) => asserted(each).replace(type, `not-${type}`));
    const refused = await importJudges(promptfoo(...odd, asserted(code.line), asserted(code.long)));
    for (const at of odd.keys())
      expect(judge(at, 'four', [], refused)).toEqual({ share: 0, explanation: expect.any(String) });
    expect(judge(odd.length, 'four', [], refused)).toEqual(said(1));
    const { explanation = '' } = judge(odd.length + 1, 'x', [], refused) as { explanation?: string };
    expect([explanation.startsWith('😀'), explanation.length < 4_001]).toEqual([true, true]);
    // Of a test that passes with a share, the score counts.
    const shared = `${promptfoo(asserted(code.score))}    threshold: 0.3\n`;
    expect(judge(0, 'four', [], await importJudges(shared, 'promptfoo'))).toEqual(said(0.4));
  },
);

test('code sees a variable that is null', async () => {
  const text = promptfoo('{ type: javascript, value: "context.vars.city === null" }').replace('Rome', 'null');
  const { code, lost } = await importJudges(text);
  expect([code[0]?.text, lost]).toEqual([expect.stringContaining('"city":null'), []]);
});

test('code is lost where no file can be written', async () => {
  const text = promptfoo('{ type: javascript, value: "true" }', '{ type: equals, value: a }');
  expect(await importText(text)).toMatchObject({
    code: [],
    cases: [{ expect: [{ equals: 'a' }], tags: ['lost-assertions'] }],
    lost: [{ construct: 'assert: javascript', why: expect.stringContaining('hub suite import --out') }],
  });
});
