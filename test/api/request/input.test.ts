import { describe, expect, test } from 'bun:test';
import { Type } from 'typebox';
import { createValidator } from '#api/request/input.ts';
import { nullable, object } from '#api/schemas/object.ts';
import { line, patterned } from '#api/schemas/text.ts';
import { handle, oneOf, uuid } from '#api/schemas/values.ts';
import { DomainError } from '#domain/errors.ts';

const schema = object({
  title: line({ max: 140 }),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
  kind: Type.Optional(oneOf(['muse', 'claw'])),
  site: Type.Optional(nullable(line({ max: 10 }))),
  tags: Type.Optional(Type.Array(line({ max: 5 }), { maxItems: 2 })),
  owner: Type.Optional(object({ handle: handle(), id: Type.Optional(uuid()) })),
  limit: Type.Optional(nullable(Type.Integer({ minimum: 1 }))),
  place: Type.Optional(nullable(object({ x: Type.Integer() }))),
  agreed: Type.Optional(Type.Boolean()),
  code: Type.Optional(patterned('^x+$', 'be made of x')),
  tier: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
});
const validator = createValidator(schema, 'invalid_body', 'The body');

function errorOf(value: unknown): DomainError {
  try {
    validator.check(value);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('The value was accepted.');
}

describe('an error names the field and the rule, and says how to fix it', () => {
  test.each<[unknown, string]>([
    [{}, '`title` is required but missing.'],
    [[], 'The body must be an object; it is an array.'],
    [null, 'The body must be an object; it is null.'],
    ['text', 'The body must be an object; it is "text".'],
    [{ title: 7 }, '`title` must be a string; it is 7.'],
    [{ title: null }, '`title` must be a string; it is null.'],
    [{ title: 'x'.repeat(151) }, '`title` must be at most 140 characters long; it has 151.'],
    [{ title: '😀'.repeat(141) }, '`title` must be at most 140 characters long; it has 141.'],
    [{ title: '' }, '`title` must not be empty.'],
    [
      { title: ' ' },
      '`title` must be one line of text without control characters, with at least one visible character.',
    ],
    [
      { title: 'a\u0007b' },
      '`title` must be one line of text without control characters, with at least one visible character; it contains U+0007: remove it.',
    ],
    [
      { title: 'a\tb' },
      '`title` must be one line of text without control characters, with at least one visible character; it contains U+0009: use a space instead.',
    ],
    [{ title: 'a', count: 0 }, '`count` must be at least 1; it is 0.'],
    [{ title: 'a', count: 11 }, '`count` must be at most 10; it is 11.'],
    [{ title: 'a', count: 1.5 }, '`count` must be a whole number; it is 1.5.'],
    [{ title: 'a', count: '5' }, '`count` must be a whole number; it is "5".'],
    [{ title: 'a', kind: 'pi' }, '`kind` must be one of "muse", "claw"; it is "pi".'],
    [{ title: 'a', kind: null }, '`kind` must be one of "muse", "claw"; it is null.'],
    [{ title: 'a', '': 1 }, '`""` is not a known field. Known fields: `title`'],
    [{ title: 'a', site: 5 }, '`site` must be a string or null; it is 5.'],
    [{ title: 'a', site: 'x'.repeat(11) }, '`site` must be at most 10 characters long; it has 11.'],
    [{ title: 'a', limit: 0 }, '`limit` must be at least 1; it is 0.'],
    [{ title: 'a', limit: 1.5 }, '`limit` must be a whole number or null; it is 1.5.'],
    [{ title: 'a', place: { x: 'y' } }, '`place.x` must be a whole number; it is "y".'],
    [{ title: 'a', place: 'y' }, '`place` must be an object or null; it is "y".'],
    [{ title: 'a', tags: ['a', 'b', 'c'] }, '`tags` must hold at most 2 entries.'],
    [{ title: 'a', tags: ['a', 6] }, '`tags[1]` must be a string; it is 6.'],
    [{ title: 'a', owner: {} }, '`owner.handle` is required but missing.'],
    [
      { title: 'a', owner: { handle: 'Ada' } },
      '`owner.handle` must be 3 to 24 lower-case letters, digits and hyphens.',
    ],
    [{ title: 'a', owner: { handle: 'ada', id: 'X' } }, '`owner.id` must be a lower-case UUID.'],
    [
      { title: 'a', owner: { handle: 'ada', x: 1 } },
      '`owner.x` is not a known field. Known fields: `handle`, `id`.',
    ],
    [{ title: 'a', agreed: 'yes' }, '`agreed` must be true or false; it is "yes".'],
    [{ title: 'a', code: 'y' }, '`code` must be made of x.'],
    [{ title: 'a', tier: 'c' }, '`tier` must be "a" or "b"; it is "c".'],
    [{ title: 'a', 'a/b~c': 1 }, '`a/b~c` is not a known field.'],
    [{ title: 'a', 7: 1 }, '`7` is not a known field.'],
    [JSON.parse('{"title":"a","__proto__":{}}'), '`__proto__` is not a known field.'],
  ])('%j', (value, message) => {
    const error = errorOf(value);
    expect(error.code).toBe('invalid_body');
    expect(error.message).toStartWith(message);
  });

  test('the first error is the message, and all of them are the detail', () => {
    const error = errorOf({ title: 5, count: 0, kind: 'pi' });
    expect(error.message).toBe('`title` must be a string; it is 5.');
    expect(error.extras.detail).toBe(
      '`title` must be a string; it is 5. `count` must be at least 1; it is 0. `kind` must be one of "muse", "claw"; it is "pi".',
    );
  });

  test.each<[string, unknown]>([
    ['an empty string', { title: '' }],
    ['a value outside an enumeration', { title: 'a', kind: 7 }],
  ])('%s is reported once, not twice', (_, value) => {
    expect(errorOf(value).extras.detail).toBeUndefined();
  });

  test('of many errors only a few are reported, and the message stays short', () => {
    const unknown = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`field${index}`, 1]));
    const error = errorOf({ title: 'a', ...unknown });
    expect(error.extras.detail).toMatch(/There are \d+ more\.$/);
    expect(error.extras.detail?.length).toBeLessThan(5000);
  });

  test('a long value is truncated', () => {
    const message = errorOf({ title: 'a', kind: '😀'.repeat(5000) }).message;
    expect(message).toContain('…');
    expect(message.length).toBeLessThan(300);
    expect(message.isWellFormed()).toBe(true);
  });

  test('a long field name is truncated', () => {
    expect(errorOf({ title: 'a', ['x'.repeat(5000)]: 1 }).message.length).toBeLessThan(400);
  });
});

test('valid values pass', () => {
  expect(() =>
    validator.check({
      title: 'a',
      count: 1,
      kind: 'claw',
      site: null,
      tags: [],
      owner: { handle: 'ada' },
      agreed: false,
      code: 'xx',
      tier: 'b',
    }),
  ).not.toThrow();
});
