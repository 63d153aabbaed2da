/** The values of an expanded document, each with its place in the source. */
import { type Fields, fieldsOf } from './exact-json.ts';
import type { Path } from './fault.ts';
import type { Place } from './read-document.ts';

/** Where a value of the expanded document is in the source, given the path from it. */
export type At = (path: Path) => Place & { readonly file?: string };

export interface Given {
  readonly value: unknown;
  readonly at: At;
}

/** Of the document itself, or of one that it includes. */
export interface Part {
  readonly fields: Fields;
  readonly at: At;
}

/** The first ones win. */
export function joined(all: readonly Fields[]): Fields {
  return Object.assign({}, ...all.toReversed()) as Fields;
}

export function under(at: At, ...start: Path): At {
  return (path) => at([...start, ...path]);
}

export function entriesOf(list: unknown, at: At): readonly Given[] {
  return Array.isArray(list) ? list.map((value: unknown, index) => ({ value, at: under(at, index) })) : [];
}

export function unique(list: readonly Given[]): readonly Given[] {
  const seen = new Set<unknown>();
  return list.filter(({ value }) => !seen.has(value) && seen.add(value));
}

/** The entries of an object of all parts, by name. */
export function placedBy(parts: readonly Part[], field: string): ReadonlyMap<string, Given> {
  return new Map(
    parts
      .toReversed()
      .flatMap(({ fields, at }) =>
        Object.entries(fieldsOf(fields[field])).map(
          ([name, value]) => [name, { value, at: under(at, field, name) }] as const,
        ),
      ),
  );
}

/** Those of the document itself, and of the others those with other names. */
export function toolsOf(parts: readonly Part[]): readonly Given[] | null {
  const lists = parts.filter(({ fields }) => Array.isArray(fields['tools']));
  const names = new Set<unknown>();
  const tools = lists.flatMap(({ fields, at }, part) => {
    const known = new Set(names);
    return entriesOf(fields['tools'], under(at, 'tools')).filter(({ value }) => {
      const name = fieldsOf(value)['name'];
      names.add(name);
      return part === 0 || !known.has(name);
    });
  });
  return lists.length === 0 ? null : tools;
}
