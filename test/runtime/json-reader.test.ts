/** Reading JSON by a schema: instants become dates, and anything that does not match is refused. */
import { expect, test } from 'bun:test';
import { Type } from 'typebox';
import { Instant, jsonReader } from '#runtime/json-reader.ts';
import { nullable } from '#runtime/schema-parts.ts';

const read = jsonReader(
  Type.Object({
    name: Type.String(),
    at: Instant(),
    until: nullable(Instant()),
    inner: Type.Optional(Type.Object({ since: Type.Optional(Instant()) })),
  }),
  'meeting',
);
const at = '2030-01-01T12:00:00.007Z';

test('instants become dates, wherever they are, and other values stay', () => {
  const value = { name: 'x', at, until: at, inner: { since: at } };
  const copy = structuredClone(value);
  const date = new Date(at);
  expect(read(value)).toEqual({ name: 'x', at: date, until: date, inner: { since: date } });
  expect(value).toEqual(copy);
  expect(read({ name: 'x', at, until: null })).toEqual({ name: 'x', at: date, until: null });
  expect(read({ name: 'x', at, until: null, inner: {} })).toEqual({
    name: 'x',
    at: date,
    until: null,
    inner: {},
  });
});

test.each([
  ['a missing field', { name: 'x', at }],
  ['a number for an instant', { name: 'x', at: 7, until: null }],
  ['a text that is not an instant', { name: 'x', at: 'soon', until: null }],
  ['a field of another type', { name: 7, at, until: null }],
  ['nothing', null],
])('%s is refused', (_, value) => {
  expect(() => read(value)).toThrow(TypeError);
});

test('the error names what was read and the first wrong field, not its value', () => {
  expect(() => read({ name: 7, at, until: null })).toThrow('Not a valid meeting: /name must be string.');
});

test('a union of two kinds of instants cannot be read back', () => {
  expect(() => jsonReader(Type.Union([Instant(), Type.Object({ at: Instant() })]), 'x')).toThrow(TypeError);
});
