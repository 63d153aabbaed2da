/** Makes the mutants of a source file: the same text with one small fault each, of the kinds that people make. */
import { parseSync } from 'oxc-parser';

export interface Mutant {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** What became of what, such as `< → <=`. */
  readonly change: string;
  /** The whole file with the fault in it. */
  readonly source: string;
}

/** A node of the syntax tree, as far as it is looked at. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const operators: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
};

const methods: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  trimStart: 'trimEnd',
  trimEnd: 'trimStart',
  trim: 'toString',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
  min: 'max',
  max: 'min',
  indexOf: 'lastIndexOf',
  lastIndexOf: 'indexOf',
  findLast: 'find',
  includes: 'startsWith',
};

export function findMutants(file: string, source: string): Mutant[] {
  const { program } = parseSync(file, source);
  const edits: Edit[] = [];
  // The parser's types name every kind of node; those that matter here are told apart by their type below.
  walk(program as unknown as Node, (node) => edits.push(...editsOf(node, source)));
  return edits.map((edit) => ({
    file,
    line: source.slice(0, edit.start).split('\n').length,
    change: `${source.slice(edit.start, edit.end)} → ${edit.text}`.replaceAll(/\s+/g, ' '),
    source: source.slice(0, edit.start) + edit.text + source.slice(edit.end),
  }));
}

function walk(node: Node, visit: (node: Node) => void): void {
  // Types are gone when the program runs.
  if (node.type.startsWith('TS') && !['TSAsExpression', 'TSNonNullExpression'].includes(node.type)) return;
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function editsOf(node: Node, source: string): Edit[] {
  const textOf = ({ start, end }: Node) => source.slice(start, end);
  const whole = (text: string): Edit => ({ start: node.start, end: node.end, text });
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const { left, right } = node;
      if (!isNode(left) || !isNode(right)) return [];
      const operator = String(node['operator']);
      const start = source.indexOf(operator, left.end);
      const swaps = operators[operator] ?? [];
      return swaps.map((text) => ({ start, end: start + operator.length, text }));
    }
    case 'IfStatement':
    case 'ConditionalExpression': {
      const { test } = node;
      if (!isNode(test)) return [];
      return ['true', 'false'].map((text) => ({ start: test.start, end: test.end, text }));
    }
    case 'UnaryExpression':
      return node['operator'] === '!' && isNode(node['argument']) ? [whole(textOf(node['argument']))] : [];
    case 'Literal':
      return literalEdits(node, source).map(whole);
    case 'CallExpression': {
      const { callee } = node;
      if (!isNode(callee) || callee.type !== 'MemberExpression' || !isNode(callee['property'])) return [];
      const { property } = callee;
      const other = methods[textOf(property)];
      return other === undefined ? [] : [{ start: property.start, end: property.end, text: other }];
    }
    // Every other kind of node stays as it is.
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check
    default:
      return [];
  }
}

function literalEdits(node: Node, source: string): string[] {
  const { value } = node;
  if (typeof value === 'boolean') return [String(!value)];
  if (typeof value === 'number') return [String(value + 1)];
  if (!('regex' in node)) return [];
  const text = source.slice(node.start, node.end);
  const end = text.lastIndexOf('/');
  const [pattern, flags] = [text.slice(1, end), text.slice(end)];
  return [
    ...(pattern.startsWith('^') ? [`/${pattern.slice(1)}${flags}`] : []),
    ...(pattern.endsWith('$') && !pattern.endsWith('\\$') ? [`/${pattern.slice(0, -1)}${flags}`] : []),
    ...(flags.includes('i') ? [`/${pattern}${flags.replace('i', '')}`] : []),
  ].filter((other) => !other.startsWith('//'));
}
