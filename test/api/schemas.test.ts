import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { block, handle, line, nullable, object, oneOf, patterned, readInstant, uuid } from '#api/schemas.ts';
import { Type } from 'typebox';
import { createValidator } from '#api/request/input.ts';
import { DomainError } from '#domain/errors.ts';
import { findJsonTextError } from '#api/request/body.ts';

const title = Compile(line({ max: 5 }));
const body = Compile(block({ max: 8000 }));
const note = Compile(line({ max: 5, min: 0 }));

describe('a line', () => {
  test.each([
    ['five letters', 'abcde'],
    ['five code points outside the basic plane', '😀😀😀😀😀'],
    ['a family emoji of five code points', '👨‍👩‍👧'],
    ['spaces around a visible character', ' a '],
    ['a line separator, which is not a control character', 'a\u2028b'],
    ['a character of a later Unicode version', '\u{1fae9}'],
  ])('may be %s', (_, text) => {
    expect(title.Check(text)).toBe(true);
  });

  test.each([
    ['six letters', 'abcdef'],
    ['six code points', '😀😀😀😀😀a'],
    ['empty', ''],
    ['blank', '  '],
    ['all zero-width', '\u200b\u200d\ufeff'],
    ['of no-break spaces', '\u00a0\u2003\u3000'],
    ['with NUL', 'a\0'],
    ['with a newline', 'a\n'],
    ['with a tab', 'a\tb'],
    ['with DEL', 'a\u007f'],
    ['with a C1 control', 'a\u0085'],
    ['with a lone high surrogate', 'a\ud83d'],
    ['with a lone low surrogate', '\ude00a'],
    ['with a reversed surrogate pair', '\ude00\ud83d'],
  ])('must not be %s', (_, text) => {
    expect(title.Check(text)).toBe(false);
  });

  test('may be empty or blank if the minimum is 0', () => {
    expect(note.Check('')).toBe(true);
    expect(note.Check('   ')).toBe(true);
    expect(note.Check('\n')).toBe(false);
  });
});

test('a block has at most its number of code points', () => {
  expect(body.Check('😀'.repeat(8000))).toBe(true);
  expect(body.Check('😀'.repeat(8001))).toBe(false);
});

test('a block is any text of allowed characters with at least one visible', () => {
  const unit = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom('\n', '\t', ' ', 'a', '\r', '\0', '\u001b', '\ud800', '\u200b'),
  );
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      const characters = Array.from(text);
      const fine = characters.every((c) => c === '\n' || c === '\t' || !/[\p{Cc}\p{Cs}]/u.test(c));
      const visible = characters.some((c) => /[^\p{Z}\p{Cf}\p{Cc}\p{Cs}]/u.test(c));
      expect(body.Check(text)).toBe(fine && visible && characters.length <= 8000);
    }),
  );
});

test.each([
  ['blanks with a control character at the end', `${' '.repeat(8000)}\0`],
  ['visible text with a control character at the end', `${'a '.repeat(4000)}\0`],
  ['zero-width characters', '\u200b'.repeat(8000)],
])('a hostile text is matched in linear time: %s', (_, text) => {
  const startedAt = performance.now();
  for (let times = 0; times < 100; times += 1) body.Check(text);
  // It takes milliseconds; a backtracking pattern would take minutes.
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});

/** Instants that clients send are read exactly or rejected. */
const read = (text: string) => readInstant('expires_at', text).toISOString();

test.each([
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31t12:00:00z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00.5Z', '2026-01-31T12:00:00.500Z'],
  ['2026-01-31T12:00:00.123999999Z', '2026-01-31T12:00:00.123Z'],
  ['2026-01-01T00:30:00+05:45', '2025-12-31T18:45:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
])('%s is %s', (text, expected) => {
  expect(read(text)).toBe(expected);
});

test.each([
  '2026-02-29T00:00:00Z',
  '2026-04-31T12:00:00+02:00',
  '2026-13-01T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T12:60:00Z',
  '2026-06-30T23:59:60Z',
  '2026-01-01T00:00:00+99:00',
  '9999-12-31T23:59:59-00:01',
  '0000-12-31T00:00:00Z',
  '0001-01-01T00:00:00+00:01',
])('%s is rejected, and the error names the field', (text) => {
  const message = expect.stringMatching(/^`expires_at` must be a valid instant between the years 1 and 9999/);
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'invalid_body', message }));
});

test('every instant is read back from its own text, at any offset', () => {
  const instant = fc.date({ min: new Date('0002-01-01'), max: new Date('9998-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(instant, fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }), (date, offset) => {
      const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
      const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
      const two = (number: number) => String(number).padStart(2, '0');
      expect(read(`${local}${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`)).toBe(date.toISOString());
    }),
  );
});

const schema = object({
  title: line({ max: 140 }),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
  kind: Type.Optional(oneOf(['muse', 'claw'])),
  site: Type.Optional(nullable(line({ max: 10 }))),
  tags: Type.Optional(Type.Array(line({ max: 5 }), { maxItems: 2 })),
  owner: Type.Optional(object({ handle: handle(), id: Type.Optional(uuid()) })),
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
  }
  throw new Error('The value was not refused.');
}

const lineRule =
  '`title` must be one line of text without control characters, with at least one visible character';

describe('an error names the field and the rule, and says how to fix it', () => {
  test.each<[unknown, string]>([
    [{}, '`title` is required but missing.'],
    [[], 'The body must be an object; it is an array.'],
    [{ title: 7 }, '`title` must be a string; it is 7.'],
    [{ title: null }, '`title` must be a string; it is null.'],
    [{ title: '😀'.repeat(141) }, '`title` must be at most 140 characters long; it has 141.'],
    [{ title: '' }, '`title` must not be empty.'],
    [{ title: ' ' }, `${lineRule}.`],
    [{ title: 'a\u0007b' }, `${lineRule}; it contains U+0007: remove it.`],
    [{ title: 'a\tb' }, `${lineRule}; it contains U+0009: use a space instead.`],
    [{ title: 'a', count: 0 }, '`count` must be at least 1; it is 0.'],
    [{ title: 'a', count: 11 }, '`count` must be at most 10; it is 11.'],
    [{ title: 'a', count: '5' }, '`count` must be a whole number; it is "5".'],
    [{ title: 'a', kind: 'pi' }, '`kind` must be one of "muse", "claw"; it is "pi".'],
    [{ title: 'a', '': 1 }, '`""` is not a known field. Known fields: `title`'],
    [{ title: 'a', site: 5 }, '`site` must be a string or null; it is 5.'],
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
      '`owner.x` is not a known field. Known fields: `handle`',
    ],
    [{ title: 'a', agreed: 'yes' }, '`agreed` must be true or false; it is "yes".'],
    [{ title: 'a', code: 'y' }, '`code` must be made of x.'],
    [{ title: 'a', tier: 'c' }, '`tier` must be "a" or "b"; it is "c".'],
    [{ title: 'a', 'a/b~c': 1 }, '`a/b~c` is not a known field.'],
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

  test('an empty string and a value outside an enumeration are reported once, not twice', () => {
    for (const value of [{ title: '' }, { title: 'a', kind: 7 }])
      expect(errorOf(value).extras.detail).toBeUndefined();
  });

  test('of many errors only a few are reported, and the message stays short', () => {
    const unknown = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`field${index}`, 1]));
    const error = errorOf({ title: 'a', ...unknown });
    expect(error.extras.detail).toMatch(/There are \d+ more\.$/);
    expect(error.extras.detail?.length).toBeLessThan(5000);
  });

  test('long values and field names are truncated', () => {
    const { message } = errorOf({ title: 'a', kind: '😀'.repeat(5000) });
    expect(message).toContain('…');
    expect(message.length).toBeLessThan(300);
    expect(message.isWellFormed()).toBe(true);
    expect(errorOf({ title: 'a', ['x'.repeat(5000)]: 1 }).message.length).toBeLessThan(400);
  });
});

test('valid values pass', () => {
  const all = { title: 'a', count: 1, kind: 'claw', site: null, tags: [], owner: { handle: 'ada' } };
  validator.check({ ...all, agreed: false, code: 'xx', tier: 'b' });
});

/** Writes JSON by hand, so that names can repeat. `escape` writes them in an equivalent form. */
type Node =
  | { readonly members: readonly (readonly [string, Node])[] }
  | { readonly items: readonly Node[] }
  | string;

function write(node: Node, escaped: boolean): string {
  if (typeof node === 'string') return JSON.stringify(node);
  if ('items' in node) return `[ ${node.items.map((item) => write(item, escaped)).join(' ,')}]`;
  return `{${node.members.map(([name, value]) => `${writeName(name, escaped)} :${write(value, escaped)}`).join(',')} }`;
}

function writeName(name: string, escaped: boolean): string {
  if (!escaped) return JSON.stringify(name);
  const units = Array.from({ length: name.length }, (_, index) => name.charCodeAt(index));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

function repeats(node: Node): boolean {
  if (typeof node === 'string') return false;
  if ('items' in node) return node.items.some(repeats);
  const names = node.members.map(([name]) => name);
  return new Set(names).size < names.length || node.members.some(([, value]) => repeats(value));
}

function depthOf(node: Node): number {
  if (typeof node === 'string') return 0;
  const inner = 'items' in node ? node.items : node.members.map(([, value]) => value);
  return 1 + Math.max(0, ...inner.map(depthOf));
}

const nodes = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5 },
    fc.string({ unit: 'grapheme', maxLength: 4 }),
    fc.record({ items: fc.array(tie('node'), { maxLength: 3 }) }),
    fc.record({
      members: fc.array(
        fc.tuple(fc.constantFrom('a', 'b', '"', '\\', '{', '__proto__', '😀', ''), tie('node')),
        { maxLength: 4 },
      ),
    }),
  ),
})).node;

describe('scanning a JSON text', () => {
  const badCharacterIn = (place: string) => `${place} must not contain NUL or an unpaired surrogate.`;

  test('finds exactly the duplicate names of an object, however they are written', () => {
    fc.assert(
      fc.property(nodes, fc.boolean(), (node, escaped) => {
        const text = write(node, escaped);
        JSON.parse(text);
        const twice = expect.stringContaining('twice in one object');
        expect(findJsonTextError(text, 100)).toEqual(repeats(node) ? twice : null);
      }),
    );
  });

  test('finds nesting beyond the maximum depth', () => {
    fc.assert(
      fc.property(nodes, (node) => {
        fc.pre(!repeats(node));
        const text = write(node, false);
        const depth = depthOf(node);
        expect(findJsonTextError(text, depth)).toBeNull();
        if (depth > 0)
          expect(findJsonTextError(text, depth - 1)).toContain(`deeper than ${depth - 1} levels`);
      }),
    );
  });

  test('treats names that differ in case or accents as different', () => {
    expect(findJsonTextError('{"a":1,"A":1,"é":1,"e\\u0301":1}', 5)).toBeNull();
  });

  test('finds exactly NUL and lone surrogates in any text', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff), { maxLength: 6 }), fc.boolean(), (units, isName) => {
        const content = String.fromCharCode(...units);
        const text = isName ? `{${writeName(content, true)}:1}` : `[${writeName(content, true)}]`;
        const isBad = content.includes('\0') || !content.isWellFormed();
        const place = isName ? 'A field name' : 'The body';
        expect(findJsonTextError(text, 5)).toBe(isBad ? badCharacterIn(place) : null);
      }),
    );
    expect(findJsonTextError('["\\u0000"]', 5)).toBe(badCharacterIn('The body'));
    expect(findJsonTextError('["\\\\u0000"]', 5)).toBeNull();
  });

  test.each([
    ['{"a":1,"b":"\\u0000"}', '`b`'],
    ['{"a":{"b":[1,{"c":2},"\\ud800"],"d":1}}', '`a.b`'],
    ['{"a":1,"\\u0000" \n : 1}', 'A field name'],
  ])('names the field of a bad character in %s', (text, place) => {
    expect(findJsonTextError(text, 5)).toBe(badCharacterIn(place));
  });
});
