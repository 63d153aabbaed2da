/** What a small file can make of itself: every product is counted before it is made. */
import { expect, test } from 'bun:test';
import { refusalOf } from './import-text.ts';

const many = (text: string, count: number) => Array.from({ length: count }, () => text).join('');
const list = (count: number) => `[${Array.from({ length: count }, (_, at) => `v${at}`).join(', ')}]`;
const equals = 'assert: [{ type: equals, value: x }]';

const reference = (name: string) => `{ $ref: "#/assertionTemplates/${name}" }`;
const doubled = Array.from({ length: 40 }, (_, at) => {
  return `  t${at + 1}: { type: assert-set, assert: [${reference(`t${at}`)}, ${reference(`t${at}`)}] }\n`;
}).join('');

test.each(
  Object.entries({
    'variables inside variables': [
      `prompts: ["${many('{{a}}', 100)}"]\ntests: [{ vars: { a: "${many('{{b}}', 100)}", b: "${many('{{c}}', 100)}", c: "${many('x', 100)}" }, ${equals} }]`,
      'filling in variables makes more than',
    ],
    'lists of variables': [
      `prompts: ["{{a}}"]\ntests: [{ vars: { a: ${list(60)}, b: ${list(60)} }, ${equals} }]`,
      'tests[0]: the cases up to here are 3600, and a suite has at most 2000',
    ],
    'lists of many variables': [
      `prompts: [x]\ntests: [{ vars: { ${Array.from({ length: 300 }, (_, at) => `v${at}: [a, b]`).join(', ')} }, ${equals} }]`,
      'a suite has at most 2000',
    ],
    scenarios: [
      `prompts: [x]\nscenarios:\n  - config:\n${many('    - { vars: { a: b } }\n', 1_000)}    tests:\n${many(`    - { ${equals} }\n`, 1_000)}`,
      'scenarios[0]: the variables and assertions of all cases up to here are more than',
    ],
    'prompts with tests': [
      `prompts: ${list(100)}\ntests:\n${many(`  - { ${equals} }\n`, 100)}`,
      'a suite has at most 2000',
    ],
    'a default that every test has': [
      `prompts: [x]\ndefaultTest: { assert: [{ type: equals, value: "${many('y', 20_000)}" }] }\ntests:\n${many('  - { vars: {} }\n', 1_000)}`,
      'characters, and a suite has at most as many bytes',
    ],
    'templates that refer to each other twice': [
      `prompts: [x]\nassertionTemplates:\n  t0: { type: equals, value: x }\n${doubled}tests: [{ assert: [${reference('t40')}] }]`,
      'No case could be imported',
    ],
    'a template that refers to itself': [
      `prompts: [x]\nassertionTemplates: { t: { type: assert-set, assert: [${reference('t')}] } }\ntests: [{ assert: [${reference('t')}] }]`,
      'No case could be imported',
    ],
    'a filter that escapes what it escaped': [
      `prompts: ["{{a${many('|dump', 40)}}}"]\ntests: [{ vars: { a: '"' }, ${equals} }]`,
      'filling in variables makes more than',
    ],
  } satisfies Record<string, [text: string, message: string]>),
)('%s are refused with their place', async (_, [text, message]) => {
  expect(await refusalOf(text)).toContain(message);
});
