/** Values that match a schema of the OpenAPI document, often at its limits. */
import fc from 'fast-check';
import type { JsonSchema } from '#test/harness/operations.ts';
import { placeholder, type PlaceholderKind } from './placeholders.ts';

/** Texts that often cause errors: markup, quotes, other scripts, invisible characters. */
export const trickyTexts = [
  '<script>alert(1)</script>',
  `"'\`;--`,
  '&lt;b&gt; &amp;',
  '%00 %s ${x} {{x}}',
  'e\u0301 é',
  '\u{1f469}\u200d\u{1f680}',
  '\u202eabc\u202c',
  ' padded ',
  '__proto__',
  'null',
  'a\u2028\u2029b\ufeff',
  '😀'.repeat(20),
];

/** Texts for fields whose schema does not say enough to pass the first check. */
const telling: Readonly<Record<string, readonly string[]>> = {
  product: ['eval-run'],
  name: ['plan-a-week'],
  target_url: ['http://127.0.0.1:9/answer', 'https://example.com/a', 'http://10.0.0.1/'],
  repo_url: ['https://git.example/skill', 'HTTP://git.example:8080/ä?b=c#d'],
  manifest_url: ['https://git.example/manifest.json'],
  url: ['https://example.com/hook', 'http://127.0.0.1:9/hook'],
  site: ['https://agent.example/'],
  contact: ['someone@example.com', placeholder('handle', 1)],
  public_key: [
    'ebVWLo/mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ=',
    '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
  ],
  signature: [Buffer.alloc(64, 7).toString('base64')],
};
/** Always in the future. */
const earlier = ['2100-01-01T10:00:00Z', '2100-01-01T12:00:00.5+01:00', '2100-01-02t10:00:00.000z'];
const later = ['2100-01-03T10:00:00Z', '2100-01-20T23:59:59.999999999Z', '2100-01-31T00:00:00-12:00'];
const past = ['2020-01-01T00:00:00Z', '2016-12-31T23:59:60Z'];
/** Longer waits would only slow down the run. */
const waitMaxSeconds = 1;

/** @param name of the field or parameter */
export function validValue(schema: JsonSchema, name = ''): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((branch) => validValue(branch, name)));
  const { type } = schema;
  if (type === undefined) return fc.jsonValue();
  switch (type) {
    case 'object':
      return validObject(schema);
    case 'array': {
      const { minItems = 0, maxItems = 3, items = {} } = schema;
      return fc.array(validValue(items, name), { minLength: minItems, maxLength: Math.min(maxItems, 5) });
    }
    case 'integer':
    case 'number':
      return validInteger(name === 'wait' ? { ...schema, maximum: waitMaxSeconds } : schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return validText(schema, name);
  }
}

function validObject({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<unknown> {
  const values = Object.fromEntries(
    Object.entries(properties).map(([field, schema]) => [field, validValue(schema, field)]),
  );
  return fc.record(values, { requiredKeys: [...required], noNullPrototype: true });
}

function validInteger({ minimum = -1000, maximum = 1000 }: JsonSchema): fc.Arbitrary<number> {
  return fc.oneof(
    fc.integer({ min: minimum, max: Math.min(maximum, minimum + 20) }),
    fc.integer({ min: minimum, max: maximum }),
    fc.constantFrom(minimum, maximum),
  );
}

function validText(schema: JsonSchema, name: string): fc.Arbitrary<string> {
  if (schema.format === 'uuid') return mostly(known('id', 999), fc.uuid());
  if (schema.format === 'date-time') {
    const usual = name === 'ends_at' ? later : earlier;
    return mostly(fc.constantFrom(...usual), fc.constantFrom(...past, ...earlier, ...later));
  }
  if (name === 'cursor') return mostly(known('cursor', 99), matching(schema));
  if (schema.pattern?.includes('.ics')) return mostly(known('calendar', 99), matching(schema));
  if (/(^|_)handle$|author/.test(name)) return mostly(known('handle', 99), matching(schema));
  const told = telling[name] ?? [];
  return told.length === 0 ? freeText(schema) : mostly(fc.constantFrom(...told), freeText(schema));
}

function known(kind: PlaceholderKind, max: number): fc.Arbitrary<string> {
  return fc.nat({ max }).map((index) => placeholder(kind, index));
}

function mostly<T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: other });
}

function matching({ pattern = '' }: JsonSchema): fc.Arbitrary<string> {
  return fc.stringMatching(new RegExp(pattern));
}

function freeText(schema: JsonSchema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = 2000, pattern } = schema;
  // Random text would hardly ever match a pattern such as that of a DID, and the search would not end. The
  // patterns with Unicode classes, which the library cannot draw from, accept almost any text.
  if (pattern !== undefined && !pattern.includes('\\p{')) return matching(schema);
  const form = pattern === undefined ? null : new RegExp(pattern, 'u');
  const edges = [minLength, Math.min(minLength + 1, maxLength), maxLength];
  const usual = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) });
  return fc
    .oneof(
      { weight: 6, arbitrary: usual },
      { weight: 3, arbitrary: fc.constantFrom(...trickyTexts) },
      { weight: 1, arbitrary: fc.constantFrom(...edges).map((length) => '😀'.repeat(length)) },
    )
    .filter((text) => {
      const { length } = Array.from(text);
      return length >= minLength && length <= maxLength && (form === null || form.test(text));
    });
}
