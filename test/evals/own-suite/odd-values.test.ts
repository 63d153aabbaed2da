/** Documents, schemas and files to import with a value of another kind at any place: each has faults, and nothing throws. */
import { expect, test } from 'bun:test';
import { checkSuite } from '#evals/own-suite/check-suite.ts';
import { importSuite } from '#evals/own-suite/import/import-suite.ts';
import { changesOf } from '#test/harness/odd-values.ts';

const schema = { $id: 'x', $ref: '#/$defs/a', $defs: { a: { $id: 'y', type: ['object'], required: ['b'] } } };
const suite = {
  suite: 1,
  name: 'abc',
  judges: { fair: { rubric: 'Is it fair?' } },
  tools: [{ name: 'look_up', description: 'x', parameters: { type: 'object' }, returns: [{ return: 'x' }] }],
  cases: [
    {
      id: 'a',
      messages: [{ role: 'user', content: 'x' }],
      expect: [{ json: { schema } }, { judge: 'fair' }, { tool_calls: [{ name: 'look_up' }] }],
    },
  ],
};
const said = { role: 'user', content: [{ type: 'text', text: 'x' }] };
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
const sample = {
  id: 'a',
  input: [said, { role: 'user', content: [image] }],
  target: ['x'],
  choices: ['a', 'b'],
};
const registry = {
  a: { id: 'a.v0' },
  'a.v0': { class: 'x:ModelBasedClassify', args: { modelgraded_spec: 'fact' } },
};
const promptfoo = {
  prompts: ['{{q}}'],
  tests: [
    {
      vars: { q: 'x' },
      assert: [
        { type: 'equals', value: 'x', weight: 2, metric: 'm' },
        { type: 'javascript', value: 'output === "x"', threshold: 0.5, config: {} },
      ],
    },
  ],
};

test('suites', async () => {
  for (const changed of changesOf(suite))
    expect(await checkSuite(JSON.stringify(changed), 'json')).toHaveProperty('ok');
});

test.each([
  ['inspect', sample, ''],
  ['openai-evals', { id: 'a', input: [said], ideal: ['x'] }, ''],
  ['openai-evals', registry, '---\n'],
  ['promptfoo', promptfoo, ''],
] as const)('%s', async (format, source, head) => {
  for (const changed of changesOf(source))
    expect(
      await importSuite(`${head}${JSON.stringify(changed)}`, format, { name: 'abc', writesFiles: true }),
    ).toHaveProperty('ok');
});
