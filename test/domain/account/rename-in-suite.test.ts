import { expect, test } from 'bun:test';
import { renameInSuite } from '#domain/account/rename-in-suite.ts';
import { checkDocument } from '#evals/own-suite/check-document.ts';
import type { CaseIdentity } from '#evals/own-suite/identity.ts';

const document = {
  suite: 1,
  name: 'greetings',
  title: 'Words of ada-7',
  cases: [
    {
      id: 'ada-7',
      messages: [{ role: 'user', content: 'Greet ada-7, prompt user, in a string.' }],
      expect: [{ equals: 'hello ada-7' }, { json: { schema: { type: 'string', description: 'by ada-7' } } }],
      accepted: ['hello ada-7'],
    },
    { prompt: 'Say yes, 100 times, true.', expect: [{ equals: 'yes' }] },
  ],
};
const caseIdentities: readonly CaseIdentity[] = [
  ['ada-7', 'a1'],
  ['case-2', 'b2'],
];
const rename = (handle: string) => renameInSuite({ document, caseIdentities }, handle);

test('the handle goes from every text of a suite, and from the ids of its cases alike', () => {
  const renamed = rename('ada-7');
  expect(JSON.stringify(renamed)).not.toContain('ada-7');
  expect(checkDocument(renamed.document).ok).toBe(true);
  expect(renamed.caseIdentities).toEqual([
    ['deleted', 'a1'],
    ['case-2', 'b2'],
  ]);
});

test('the schema of a tool keeps its types and the names of its fields', () => {
  const parameters = {
    type: 'object',
    description: 'an object',
    properties: { object: { type: ['object', 'null'] } },
    required: ['object'],
  };
  const tools = [{ name: 'find', description: 'Finds an object.', parameters }];
  const renamed = renameInSuite({ document: { ...document, tools }, caseIdentities }, 'object');
  expect(renamed.document.tools).toEqual([
    {
      name: 'find',
      description: 'Finds an deleted.',
      parameters: { ...parameters, description: 'an deleted' },
    },
  ]);
});

test('outside of schemas, the handle goes from fields with the names of their words', () => {
  const expected = { required: ['ada-7', 'bob'], type: 'ada-7', optional: ['ada-7'] };
  const one = {
    prompt: 'Who?',
    expect: [{ json: { at: '', equals: expected } }],
    accepted: [JSON.stringify(expected)],
  };
  const tools = [{ name: 'find', parameters: { type: 'object', properties: {}, required: ['ada-7'] } }];
  const renamed = renameInSuite(
    { document: { ...document, tools, cases: [one] }, caseIdentities: [] },
    'ada-7',
  );
  expect(JSON.stringify(renamed)).not.toContain('ada-7');
  expect(JSON.parse(renamed.document.cases[0]?.accepted[0] ?? '')).toEqual(
    renamed.document.cases[0]?.expect[0]?.json.equals,
  );
});

test('a suite stays one if the handle is a word of its format, a literal of JSON or a number', () => {
  const words = 'suite cases prompt expect equals messages role content true null false 100 user string type';
  for (const handle of words.split(' ')) {
    const renamed = rename(handle);
    expect({ handle, ok: checkDocument(renamed.document).ok }).toEqual({ handle, ok: true });
    expect(renamed.caseIdentities).toEqual(caseIdentities);
  }
  const prompts = JSON.stringify(rename('user').document);
  expect(prompts).toContain('"role":"user"');
  expect(prompts).toContain('Words of ada-7');
});
