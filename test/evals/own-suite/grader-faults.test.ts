/** A grader that could not grade is refused, with the rule that it breaks. */
import { expect, test } from 'bun:test';
import { checkGrader } from '#evals/own-suite/graders/registry.ts';
import { checkSuite } from '#evals/own-suite/check-suite.ts';
import { type GraderSpec, type SampleReply } from '#evals/own-suite/document.ts';
import { proposeGraders } from '#evals/own-suite/propose-grader.ts';
import { passerOf } from './grader-tables.ts';

const referring = ($defs: object) => ({ json: { schema: { $defs, $ref: '#/$defs/a' } } });

test.each([
  [{ equls: 'x' }, 'Did you mean `equals`?'],
  [{ equals: 'x', contains: 'y' }, 'one of equals, contains'],
  [{ equals: 5 }, '`equals` must be a string; it is 5.'],
  [{ equals: 'x', ignore: ['cases'] }, '`ignore[0]` must be one of "case"'],
  [{ contains: ' ' }, 'every reply would pass'],
  [{ contains_any: ['x', '!!'], ignore: ['punctuation'] }, 'There is nothing to look for in "!!"'],
  [{ matches: '(a' }, 'RE2 expression'],
  [{ matches: '(?=a)b' }, 'no look-around'],
  [{ matches: '(a)\\1' }, 'no back-references'],
  [{ matches: '((a{1,30}){1,30}){1,30}' }, 'invalid repeat count'],
  [{ matches: '[d\u0323-\u0330]' }, 'invalid character class range'],
  [{ number: 5, within: 1, within_percent: 2 }, 'not both'],
  [{ number: Number.NaN }, '`number`'],
  [{ choice: 'D', options: ['A', 'B'] }, '`choice` must be one of `options`'],
  [{ choice: 'A', options: ['A', 'a'] }, 'differ in more than case'],
  [{ choice: 'A', options: ['A', ' '] }, '`options[1]` must not be blank'],
  [{ rows: Array.from({ length: 2_000 }, () => Array(10).fill('x'.repeat(12))) }, 'fewer or shorter rows'],
  [{ length: 'words' }, '`min`, `max` or both'],
  [{ length: 'words', min: 3, max: 2 }, 'must not exceed'],
  [{ json: { equals: 5 } }, 'need `at`'],
  [{ json: { at: '/a' } }, '`at` needs one of'],
  [{ json: { at: '/a', contains: ' ' } }, 'every text would pass'],
  [{ json: { schema: { type: 'strin' } } }, 'JSON Schema'],
  [{ json: { schema: { $ref: 'https://example.com/schema.json' } } }, 'must not refer to other documents'],
  [{ json: { schema: { $ref: '#' } } }, 'must not refer to itself'],
  [referring({ a: { $ref: '#/$defs/b' }, b: { items: { $ref: '#/$defs/a' } } }), 'loop'],
  [referring({ a: { allOf: [{ $ref: '#/$defs/%61' }] } }), 'must not refer to itself'],
  [{ json: { schema: { $dynamicAnchor: 'x', allOf: [{ $dynamicRef: '#x' }] } } }, 'not to an anchor'],
  [
    { json: { schema: { $defs: { a: { $id: 'http://a/', allOf: [{ $ref: '#/allOf/0' }] } } } } },
    'must not refer to other documents',
  ],
  [{ json: { schema: { exclusiveMinimum: true, minimum: 5 } } }, '#/exclusiveMinimum must be a number'],
  [{ number: { $number: 'x' } }, '`number'],
  [{ json: { schema: { pattern: '(?<!x)y' } } }, 'JSON Schema'],
  [{ rows: [['a', 'b'], ['c']] }, 'as many cells'],
  [{ leaks: '----' }, 'letters or digits'],
  [{ leaks: 'abc' }, 'at least 4 characters'],
  [{ all: [{ any: [{ all: [{ not: { all: [{ equals: 'x' }] } }] }] }] }, 'at most 4 deep'],
  [{ all: [{ equals: 5 }] }, '`equals` must be a string'],
  [{ calls: {} }, '`calls` needs a rule'],
  [{ order: ['a', 'a'] }, '`order`'],
  [{ order: 'any' }, 'must have one of the fields'],
  [{ tool_calls: [], order: ['a', 'b'] }, 'one of tool_calls, order'],
  [{ equals: 'x', metric: 'My tone' }, '`metric`'],
  [{ all: [{ equals: 'x', metric: 'tone' }] }, 'on an entry of `expect`'],
  [{ any: [{ equals: 'x', required: true }], at_least: 0.6 }, '`required` must be on an entry of `expect`'],
  [{ all: [{ equals: 'x', required: true }] }, 'Use `all` for graders that must all pass'],
  [{ not: { equals: 'x', required: true } }, '`required` must be on an entry'],
  [{ any: [{ equals: 'x', weight: 2 }] }, '`weight` must be on an entry of `expect` or of an `any`'],
  ['equals', 'must be an object'],
  [{}, 'must have one of the fields'],
] as const)('%j is refused and says why', (spec, message) => {
  const faults = checkGrader(spec, ['expect', 0]);
  expect(faults.map((fault) => fault.message).join('\n')).toContain(message);
});

test('a blank option, as older suites may have, ends the search for options', async () => {
  const passes = passerOf({ expect: [{ choice: 'A', options: ['A', ' '] }] });
  expect(await passes('I choose A, of course.')).toBe(true);
});

/** The graders that are proposed for a reply: it passes them if it is accepted, and none if it is refused. */
const line = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
const properties = {
  total: { type: 'number' },
  lines: { type: 'array', items: line },
  mixed: { type: 'array' },
  none: {},
};
const schema = { type: 'object', required: ['total', 'lines', 'mixed', 'none'], properties };
const calls = [{ name: 'route', arguments: { queue: 'billing' } }];

const equal = { equals: 'Refund', ignore: ['case'] };
const contained = { contains: 'Refund', ignore: ['case'] };
const long = Array(20).fill('long text').join(' ');
const similar = (at_least: number) => ({ similar: 'rouge-l', to: [long], at_least });
const not = (spec: GraderSpec) => ({ ...spec, not: true });
const exact = { total: { $number: '9007199254740993' }, lines: [{ id: 'a' }], mixed: [1, 'b'], none: null };
const whole = (value: object) => ({ json: { at: '', equals: value } });
const routed = [{ tool_calls: calls }, { tool_calls: [{ name: 'route' }] }];
const fields = Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`field-${at}`, at]));

test.each<[SampleReply, readonly GraderSpec[], readonly GraderSpec[]]>([
  [
    '```json\n{"total":9007199254740993,"lines":[{"id":"a"}],"mixed":[1,"b"],"none":null}\n```',
    [{ json: { schema } }, whole(exact)],
    [not(whole(exact))],
  ],
  [JSON.stringify(fields), [{ json: {} }, whole(fields)], [not(whole(fields))]],
  [' 25.88\n', [{ number: 25.88 }], [not({ number: 25.88 })]],
  ['Refund', [equal, contained], [not(equal), not(contained)]],
  [long, [similar(0.5)], [not(similar(0.9))]],
  ['x'.repeat(2_001), [], []],
  ['', [], []],
  [{ tool_calls: calls }, routed, routed.map(not)],
])('the reply %#', async (reply, accepted, refused) => {
  expect([proposeGraders(reply, 'accepted'), proposeGraders(reply, 'refused')]).toEqual([accepted, refused]);
  for (const [list, expected] of Object.entries({ accepted, refused })) {
    if (expected.length === 0) continue;
    const cases = expected.map((spec, at) => ({ id: `${at}`, prompt: 'x', expect: [spec], [list]: [reply] }));
    const checked = await checkSuite(JSON.stringify({ suite: 1, name: 'proposed', cases }), 'json');
    expect(checked).toMatchObject({ ok: true });
  }
});
