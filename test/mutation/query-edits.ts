/** Faults in queries: other comparisons, and omitted conditions, columns and fences. */
import { type Edit, isNode, type Node, nodesOf, withoutEach } from './syntax.ts';

const queryBuilder = 'drizzle-orm';

const swaps: Readonly<Record<string, readonly string[]>> = {
  eq: ['ne'],
  ne: ['eq'],
  gt: ['gte', 'lte'],
  gte: ['gt', 'lt'],
  lt: ['lte', 'gte'],
  lte: ['lt', 'gt'],
  and: ['or'],
  or: ['and'],
  asc: ['desc'],
  desc: ['asc'],
  isNull: ['isNotNull'],
  isNotNull: ['isNull'],
  inArray: ['notInArray'],
};

/** The optional parts of a query. */
const clauses = new Set(['where', 'orderBy', 'limit', 'offset', 'onConflictDoNothing']);

/** In `sql` templates, which are lower-case here. */
const sqlSwaps: readonly (readonly [RegExp, string])[] = [
  [/ = /g, ' <> '],
  [/ > /g, ' >= '],
  [/ < /g, ' <= '],
  [/ >= /g, ' > '],
  [/ <= /g, ' < '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/\band\b/g, 'or'],
  [/\bor\b/g, 'and'],
  [/\bis null\b/g, 'is not null'],
  [/\bis not null\b/g, 'is null'],
];

/** The local names of conditions imported from the query builder. */
export function queryWordsOf(program: Node): ReadonlySet<string> {
  const imports = nodesOf(program['body']).filter(
    ({ type, source }) => type === 'ImportDeclaration' && isNode(source) && source['value'] === queryBuilder,
  );
  return new Set(
    imports
      .flatMap((line) => nodesOf(line['specifiers']))
      .map(({ local }) => (isNode(local) ? String(local['name']) : '')),
  );
}

export function queryEdits(node: Node, source: string, words: ReadonlySet<string>): Edit[] {
  if (words.size === 0) return [];
  switch (node.type) {
    case 'CallExpression':
      return callEdits(node, words);
    case 'TaggedTemplateExpression': {
      const { tag, quasi } = node;
      const isSql = isNode(tag) && tag.type === 'Identifier' && tag['name'] === 'sql';
      return isSql && isNode(quasi) ? nodesOf(quasi['quasis']).flatMap((part) => sqlEdits(part, source)) : [];
    }
    case 'Property': {
      const { key, value } = node;
      if (!isNode(key) || !isNode(value)) return [];
      if (key['name'] === 'setWhere') return [{ start: value.start, end: value.end, text: 'undefined' }];
      return key['name'] === 'set' ? columnEdits(value) : [];
    }
    // Every other kind of node stays as it is.
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check
    default:
      return [];
  }
}

function callEdits(node: Node, words: ReadonlySet<string>): Edit[] {
  const { callee } = node;
  if (!isNode(callee)) return [];
  const given = nodesOf(node['arguments']);
  if (callee.type === 'Identifier') {
    const name = String(callee['name']);
    if (!words.has(name)) return [];
    const others = (swaps[name] ?? []).map((other) => ({
      start: callee.start,
      end: callee.end,
      text: other,
      importedFrom: queryBuilder,
    }));
    const isJunction = (name === 'and' || name === 'or') && given.length > 1;
    const forgotten = isJunction ? given.map(({ start, end }) => ({ start, end, text: 'undefined' })) : [];
    return [...others, ...forgotten];
  }
  const { object, property } = callee;
  if (!isNode(object) || !isNode(property)) return [];
  const name = String(property['name']);
  if (clauses.has(name)) return [{ start: object.end, end: node.end, text: '' }];
  return name === 'set' ? given.flatMap(columnEdits) : [];
}

/** An update without one of its columns. */
function columnEdits(value: Node): Edit[] {
  const columns = value.type === 'ObjectExpression' ? nodesOf(value['properties']) : [];
  return columns.length > 1 ? withoutEach(columns) : [];
}

function sqlEdits(part: Node, source: string): Edit[] {
  const text = source.slice(part.start, part.end);
  return sqlSwaps.flatMap(([pattern, other]) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => ({
      start: part.start + index,
      end: part.start + index + found.length,
      text: other,
    })),
  );
}
