/** Nodes of the syntax tree, and edits of the text. */

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The package that exports `text`, if the file may not import it yet. */
  readonly importedFrom?: string;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** @returns no nodes if it is not a list */
export function nodesOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** One edit per item, which removes it with its comma. */
export function withoutEach(items: readonly Node[]): Edit[] {
  return items.map((item, index) => {
    const [before, after] = [items[index - 1], items[index + 1]];
    if (after !== undefined) return { start: item.start, end: after.start, text: '' };
    return { start: before?.end ?? item.start, end: item.end, text: '' };
  });
}
