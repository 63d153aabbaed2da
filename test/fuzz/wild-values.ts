/** Values that match no schema, or nearly match one: mistakes of clients, and attacks. */
import fc from 'fast-check';
import type { JsonSchema } from '#test/harness/operations.ts';
import { trickyTexts } from './valid-values.ts';

/** Fields of responses, which no request may set, and names with a meaning in JavaScript. */
const foreignFields = [
  ...'id handle author_handle status verified_badge reputation_total balance created_at'.split(' '),
  ...'__proto__ constructor toString'.split(' '),
  '',
  'x'.repeat(300),
];

const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  0.5,
  2 ** 53,
  -(2 ** 63),
  1e308,
  ...'\0 \u0007 \ud800 \udc00x'.split(' '),
  ...' |line\r\nbreak'.split('|'),
  '',
  [],
  {},
  [[]],
  [null],
  { length: 1 },
  { toString: 1 },
  'a'.repeat(9000),
];

const surrogatesFrom = 0xd800;
const surrogates = 0x800;

/** Any characters. The library's own arbitrary first builds a table of a million strings in each process. */
const anyCharacters: fc.Arbitrary<string> = fc
  .array(fc.integer({ min: 0, max: 0x10ffff - surrogates }), { maxLength: 60 })
  .map((points) =>
    String.fromCodePoint(...points.map((point) => (point < surrogatesFrom ? point : point + surrogates))),
  );

export const wildValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...oddValues),
  fc.constantFrom(...trickyTexts),
  anyCharacters,
  fc.double(),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A valid body with one error. */
export function nearlyValid(schema: JsonSchema, valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return wildValue;
  const mutation = fc.oneof(
    fc.constantFrom(...foreignFields).chain((name) => wildValue.map((value) => ({ name, value }))),
    fc
      .constantFrom(...fields)
      .chain(([name, field]) => fc.oneof(wildValue, pastTheLimits(field)).map((value) => ({ name, value }))),
    fc.constantFrom(...fields).map(([name]) => ({ name, value: undefined })),
  );
  return fc.tuple(valid, mutation).map(([body, { name, value }]) => {
    // Unlike an assignment, this makes `__proto__` an ordinary field.
    return Object.fromEntries([...Object.entries(body as object), [name, value]]);
  });
}

function pastTheLimits(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { anyOf = [schema] } = schema;
  const past = anyOf.flatMap(({ minLength, maxLength, minimum, maximum, enum: words }) => [
    ...(minLength === undefined ? [] : ['x'.repeat(Math.max(0, minLength - 1))]),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1), '😀'.repeat(maxLength + 1)]),
    ...(minimum === undefined ? [] : [minimum - 1, minimum + 0.5]),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(words === undefined ? [] : [`${String(words[0])} `, String(words[0]).toUpperCase()]),
  ]);
  return past.length === 0 ? wildValue : fc.constantFrom(...past);
}

/** Bodies that are not JSON, or barely. */
export const wildBody: fc.Arbitrary<string | Uint8Array<ArrayBuffer>> = fc.oneof(
  wildValue.map((value) => JSON.stringify(value)),
  anyCharacters,
  fc.uint8Array({ maxLength: 60 }),
  fc.constantFrom(
    ...'{ {} {}{} {"a":1,"a":1} {"title":"x","title":"y","body":"z"} {"\\u0000":1}'.split(' '),
    ...' |\ufeff{}'.split('|'),
    '',
    '['.repeat(40) + ']'.repeat(40),
    '{"a":'.repeat(33) + '1' + '}'.repeat(33),
    JSON.stringify({ body: 'x'.repeat(70_000) }),
    '1e999',
    '-0',
    'NaN',
  ),
);

/** Path segments as sent over the wire. */
export const wildPathPart: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...'% %zz %00 %2F %2e%2e .. . a/b a%20b %f0%9f%98%80 null -1 *'.split(' ')),
  fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => encodeURIComponent(text.toWellFormed())),
);

/** Any text that a header can contain. */
export const wildHeader: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('', '*', '"', 'W/"x"', '"a", W/"b"', ',', 'x'.repeat(201), 'x'.repeat(5000), 'é'),
  fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    maxLength: 60,
  }),
);
