import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { findJsonTextError } from '#api/request/body.ts';

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
        {
          maxLength: 4,
        },
      ),
    }),
  ),
})).node;

describe('scanning a JSON text', () => {
  test('finds exactly the duplicate names of an object, however they are written', () => {
    fc.assert(
      fc.property(nodes, fc.boolean(), (node, escaped) => {
        const text = write(node, escaped);
        JSON.parse(text);
        expect(findJsonTextError(text, 100)?.kind).toBe(repeats(node) ? 'repeated_name' : undefined);
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
        if (depth > 0) expect(findJsonTextError(text, depth - 1)).toEqual({ kind: 'too_deep' });
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
        expect(findJsonTextError(text, 5)).toEqual(
          isBad ? { kind: 'bad_character', field: isName ? null : '' } : null,
        );
      }),
    );
    expect(findJsonTextError('["\\u0000"]', 5)).toEqual({ kind: 'bad_character', field: '' });
    expect(findJsonTextError('["\\\\u0000"]', 5)).toBeNull();
  });

  test.each([
    ['{"a":1,"b":"\\u0000"}', 'b'],
    ['{"a":{"b":[1,{"c":2},"\\ud800"],"d":1}}', 'a.b'],
    ['{"a":1,"\\u0000" \n : 1}', null],
  ])('names the field of a bad character in %s', (text, field) => {
    expect(findJsonTextError(text, 5)).toEqual({ kind: 'bad_character', field });
  });

  test('returns the duplicate name', () => {
    expect(findJsonTextError('{"a":{"title":1,"\\u0074itle":2}}', 5)).toEqual({
      kind: 'repeated_name',
      name: 'title',
    });
  });
});
