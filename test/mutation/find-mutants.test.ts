/** Each kind of fault is made where it applies, and nowhere else. */
import { expect, test } from 'bun:test';
import { findMutants } from './find-mutants.ts';

function changesOf(source: string): string[] {
  return findMutants('subject.ts', source).map(({ change }) => change);
}

test.each([
  ['a comparison', 'const a = (b: number) => b < c;', ['< → <=', '< → >=']],
  ['a condition', 'if (a) b();', ['a → true', 'a → false']],
  ['a sum of numbers, but not a concatenation', 'const a = [b + c, `${b}` + c, b + "c"];', ['+ → -']],
  ['bits', 'const a = (b << c) & d;', ['& → |', '<< → >>']],
  ['a number and a boolean', 'const a = [7, true];', ['7 → 8', 'true → false']],
  ['each of several strings of a list', "const a = ['b', 'c'];", ["'b', → ", ", 'c' → "]],
  ['not the only string of a list', "const a = ['b'];", []],
  ['both anchors of a pattern', 'const a = /^b$/i;', ['/^b$/i → /b$/i', '/^b$/i → /^b/i', '/^b$/i → /^b$/']],
  ['nothing in types', "type A = 'b' | 7; const a = b as 7;", []],
])('expressions: %s', (_, source, changes) => {
  expect(changesOf(source)).toEqual(changes);
});

test.each([
  [
    'an omitted call, update and await',
    'a(); b = c; await d();',
    ['a(); → ;', 'b = c; → ;', 'await d(); → ;'],
  ],
  ['not a crash point', "crashPoint('a.b');", []],
  ['a subtraction instead of an addition', 'a += b;', ['a += b; → ;', '+= → -=']],
  ['an omitted throw', 'try { a; } catch { throw b; }', ['throw b; → ;']],
  ['the condition, but not the only statement, of an `if`', 'if (a) { throw b; }', ['a → true', 'a → false']],
  [
    'the only statement of an `if` with an `else`',
    'if (a) b(); else c();',
    ['a → true', 'a → false', 'b(); → ;', 'c(); → ;'],
  ],
])('statements: %s', (_, source, changes) => {
  expect(changesOf(source)).toEqual(changes);
});

const query = "import { and, eq, gt, sql } from 'drizzle-orm';";

test.each([
  ['a comparison', 'gt(a, b);', ['gt → gte', 'gt → lte']],
  ['one of several conditions', 'f(and(a, b));', ['and → or', 'a → undefined', 'b → undefined']],
  [
    'a whole clause',
    'q.from(a).where(eq(b, c)).limit(d);',
    ['.limit(d) → ', '.where(eq(b, c)) → ', 'eq → ne'],
  ],
  ['a column of an update', 'q.set({ a: b, c: d });', ['a: b, → ', ', c: d → ']],
  ['the fence of an update', 'f({ setWhere: a });', ['a → undefined']],
  ['words of SQL', 'f(sql`${a} > 0 and ${b} is null`);', [' > → >= ', 'and → or', 'is null → is not null']],
])('queries: %s', (_, source, changes) => {
  expect(changesOf(`${query} ${source}`).filter((change) => !change.endsWith('; → ;'))).toEqual(changes);
});

test('a function with the same name from another module is left as it is', () => {
  expect(changesOf("import { gt } from './versions.ts'; const a = gt(b, c);")).toEqual([]);
});

test('a mutant is the whole file with one fault, keeps the line numbers, and imports what it needs', () => {
  const source = `${query}\nexport const a = gt(\n  b,\n  c,\n);\n`;
  const [first] = findMutants('subject.ts', source);
  expect(first).toMatchObject({ file: 'subject.ts', line: 2 });
  expect(first?.source).toBe(
    `${query}\nexport const a = gteInstead(\n  b,\n  c,\n);\nimport { gte as gteInstead } from 'drizzle-orm';`,
  );
});
