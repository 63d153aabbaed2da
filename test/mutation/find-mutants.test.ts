/** What `npm run mutate` takes for a fault: each kind is made where it may be, and nowhere else. */
import { expect, test } from 'bun:test';
import { findMutants } from './find-mutants.ts';

function changesOf(source: string): string[] {
  return findMutants('subject.ts', source).map(({ change }) => change);
}

test.each([
  ['a comparison', 'const a = (b: number) => b < c;', ['< → <=', '< → >=']],
  ['a condition', 'if (a) b();', ['a → true', 'a → false']],
  [
    'a sum of numbers, and no text that is put together',
    'const a = [b + c, `${b}` + c, b + "c"];',
    ['+ → -'],
  ],
  ['bits', 'const a = (b << c) & d;', ['& → |', '<< → >>']],
  ['a number and a truth', 'const a = [7, true];', ['7 → 8', 'true → false']],
  ['each of several texts of a list', "const a = ['b', 'c'];", ["'b', → ", ", 'c' → "]],
  ['the one text of a list, which is left alone', "const a = ['b'];", []],
  ['both ends of a pattern', 'const a = /^b$/i;', ['/^b$/i → /b$/i', '/^b$/i → /^b/i', '/^b$/i → /^b$/']],
  ['what only types say', "type A = 'b' | 7; const a = b as 7;", []],
])('expressions: %s', (_, source, changes) => {
  expect(changesOf(source)).toEqual(changes);
});

test.each([
  [
    'a call, a change and a wait are forgotten',
    'a(); b = c; await d();',
    ['a(); → ;', 'b = c; → ;', 'await d(); → ;'],
  ],
  ['what names a step for tests alone is left alone', "crashPoint('a.b');", []],
  ['an amount is taken away instead of added', 'a += b;', ['a += b; → ;', '+= → -=']],
  ['a throw is forgotten', 'try { a; } catch { throw b; }', ['throw b; → ;']],
  ['what an `if` has alone is forgotten by its condition', 'if (a) { throw b; }', ['a → true', 'a → false']],
  [
    'with an `else` it is a fault of its own',
    'if (a) b(); else c();',
    ['a → true', 'a → false', 'b(); → ;', 'c(); → ;'],
  ],
])('statements: %s', (_, source, changes) => {
  expect(changesOf(source)).toEqual(changes);
});

const query = "import { and, eq, gt, sql } from 'drizzle-orm';";

test.each([
  ['a comparison', 'gt(a, b);', ['gt → gte', 'gt → lte']],
  ['a condition among others', 'f(and(a, b));', ['and → or', 'a → undefined', 'b → undefined']],
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

test('a function of the same name that is not of the query builder is left alone', () => {
  expect(changesOf("import { gt } from './versions.ts'; const a = gt(b, c);")).toEqual([]);
});

test('a mutant is the whole file with the one fault, at its line, and imports what the fault needs', () => {
  const source = `${query}\nexport const a = gt(\n  b,\n  c,\n);\n`;
  const [first] = findMutants('subject.ts', source);
  expect(first).toMatchObject({ file: 'subject.ts', line: 2 });
  expect(first?.source).toBe(
    `${query}\nexport const a = gteInstead(\n  b,\n  c,\n);\nimport { gte as gteInstead } from 'drizzle-orm';`,
  );
});
