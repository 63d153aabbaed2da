/**
 * Faults in expressions: shifted comparisons, negated conditions, and swapped numbers, list items, patterns
 * and methods.
 */
import { type Edit, isNode, type Node, nodesOf, withoutEach } from './syntax.ts';

const operators: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '&': ['|'],
  '|': ['&'],
  '<<': ['>>'],
  '>>': ['<<'],
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

export function expressionEdits(node: Node, source: string): Edit[] {
  const textOf = ({ start, end }: Node) => source.slice(start, end);
  const whole = (text: string): Edit => ({ start: node.start, end: node.end, text });
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const { left, right } = node;
      if (!isNode(left) || !isNode(right)) return [];
      const operator = String(node['operator']);
      if (operator === '+' && (isText(left) || isText(right))) return [];
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
    case 'ArrayExpression': {
      const elements = nodesOf(node['elements']);
      return elements.length > 1 && elements.every(isText) ? withoutEach(elements) : [];
    }
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

/** True if the syntax shows that it is a string. */
function isText(node: Node): boolean {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node['value'] === 'string');
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
