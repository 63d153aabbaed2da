/** The syntax tree as the makers of mutants look at it, and what they answer: a piece of the text and what to put there. */

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
  /** The package that `text` is a name of, where the file may not have it yet. */
  readonly importedFrom?: string;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** The nodes in a list of the tree; holes and what is no list are none. */
export function nodesOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** One edit for each item that is left out of a list, with the comma beside it. */
export function withoutEach(items: readonly Node[]): Edit[] {
  return items.map((item, index) => {
    const [before, after] = [items[index - 1], items[index + 1]];
    if (after !== undefined) return { start: item.start, end: after.start, text: '' };
    return { start: before?.end ?? item.start, end: item.end, text: '' };
  });
}
