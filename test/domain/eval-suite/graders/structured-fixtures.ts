/** Passing and failing replies for the graders of JSON and CSV. */
import type { Fixture } from './fixture.ts';

const schema = {
  type: 'object',
  properties: {
    code: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{2}$' },
    tags: { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true },
  },
  required: ['code', 'tags'],
  additionalProperties: false,
};

export const structuredFixtures: readonly Fixture[] = [
  {
    spec: { name: 'bare-json', parameters: { root: 'object' } },
    passing: ['{}', ' {"a": [1, 2]}\n'],
    failing: [
      '',
      'null',
      '[]',
      '"{}"',
      '{',
      '{a: 1}',
      '7',
      'no object here',
      `${'['.repeat(40)}${']'.repeat(40)}`,
    ],
    loose: ['```json\n{"a": 1}\n```', 'Here: {"a": 1}.', '{"a": 1} thanks'],
  },
  {
    spec: { name: 'bare-json', parameters: { root: 'array' } },
    passing: ['[]', '[{"a": 1}]'],
    failing: ['{}', '', '[1,]', `[${'1,'.repeat(3000)}1]`],
    loose: ['```\n[1]\n```'],
  },
  {
    spec: { name: 'json-schema', parameters: { schema } },
    passing: ['{"code": "AB-12", "tags": ["x"]}', '```json\n{"tags": ["x", "y"], "code": "ZZ-00"}\n```'],
    failing: [
      '',
      '{}',
      '{"code": "AB-12"}',
      '{"code": "ab-12", "tags": ["x"]}',
      '{"code": "AB-123", "tags": ["x"]}',
      '{"code": "AB-12", "tags": []}',
      '{"code": "AB-12", "tags": ["x", "x"]}',
      '{"code": "AB-12", "tags": [1]}',
      '{"code": "AB-12", "tags": ["x"], "more": 1}',
      '[]',
    ],
  },
  {
    spec: { name: 'json-equals', parameters: { expected: { a: 1, b: [true, null, 'x'], c: { d: 'y' } } } },
    passing: [
      '{"a": 1, "b": [true, null, "x"], "c": {"d": "y"}}',
      '{"c":{"d":"y"},"b":[true,null,"x"],"a":1.0}',
      '```json\n{"a": 1, "b": [true, null, "x"], "c": {"d": "y"}}\n```',
    ],
    failing: [
      '',
      '{}',
      '{"a": 2, "b": [true, null, "x"], "c": {"d": "y"}}',
      '{"a": "1", "b": [true, null, "x"], "c": {"d": "y"}}',
      '{"a": 1, "b": [null, true, "x"], "c": {"d": "y"}}',
      '{"a": 1, "b": [true, null, "x", "z"], "c": {"d": "y"}}',
      '{"a": 1, "b": {"0": true, "1": null, "2": "x"}, "c": {"d": "y"}}',
      '{"a": 1, "b": [true, null, "x"], "c": {"d": "y", "e": 1}}',
      '{"a": 1, "b": [true, null, "x"], "c": {}}',
      '{"a": 1, "b": [true, null, "x"], "c": null}',
      '{"a": 1, "b": [true, null, "x"], "c": {"d": "y"}, "__proto__": {}}',
    ],
  },
  {
    spec: { name: 'json-sum', parameters: { property: 'n', expected: 10 } },
    passing: ['{"n": [4, 6]}', '{"n": [10]}', '```json\n{"n": [1, 2, 3, 4]}\n```'],
    failing: [
      'null',
      '{"n": [[10]]}',
      '{"n": "x"}',
      '{"n": [10, null]}',
      '',
      '{"n": [4, 5]}',
      '{"n": []}',
      '{"n": 10}',
      '{"n": ["4", 6]}',
      '{"m": [10]}',
      '[10]',
      '{"n": [10, "x"]}',
      '10',
    ],
  },
  {
    spec: { name: 'csv-form', parameters: { columns: 2 } },
    passing: [
      `a,b\n1,${'2'.repeat(7_994)}`,
      ' \na,b\n1,2',
      'a,b\n1,2',
      'a,b\r\n1,2\r\n',
      'a,b\n"1,""x""",2\n',
    ],
    failing: [
      '',
      'a,b',
      'a,b,c\n1,2,3',
      'a,b\n1',
      'a,b\n"1,2',
      'a,b\n1,2"x"',
      'a,b\n"1"x,2',
      'Here you go:\na,b\n1,2',
      'a;b\n1;2',
    ],
    loose: [
      'a,b\n1,2\n```',
      '```\na,b\n1,2\n\n```',
      'Sure:\r\n```\r\na,b\r\n1,2\r\n```\r\nDone.',
      '```csv\na,b\n1,2\n```',
      'Sure:\n```\na,b\n1,2\n```',
    ],
  },
  {
    spec: {
      name: 'csv-equals',
      parameters: {
        expected: [
          ['a', 'b'],
          ['x, "y"', '2'],
          ['z', '3'],
        ],
      },
    },
    passing: [
      'a,b\n"x, ""y""",2\nz,3',
      'a,b\r\n"x, ""y""","2"\r\nz,3\r\n',
      '```csv\na,b\n"x, ""y""",2\nz,3\n```',
    ],
    failing: [
      '',
      'a,b\nz,3\n"x, ""y""",2',
      'a,b\n"x, ""y""",2',
      'a,b\n"x, ""y""",2\nz,3\nw,4',
      'b,a\n"x, ""y""",2\nz,3',
      'a,b\n"x, y",2\nz,3',
      'a,b\n"x, ""y""", 2\nz,3',
      'a,b\n"x, ""y""",2\nz,4',
      'a,b,c\n"x, ""y""",2,0\nz,3,0',
    ],
  },
];
